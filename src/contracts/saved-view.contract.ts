import { z } from 'zod'
import { utf8Length } from '#domain/garden/garden-path.ts'
import { MAX_VIEW_NAME, VIEW_LISTS, type ViewList } from '#domain/view/saved-view.rules.ts'

const VIEW_LIST_NAMES = Object.keys(VIEW_LISTS) as [ViewList, ...ViewList[]]

/** The ledger takes 8 KiB of its own spelling of the JSON, which has some more spaces. */
const MAX_FILTER_BYTES = 7_500

const list = z.enum(VIEW_LIST_NAMES)
const name = z.string().trim().min(1).max(MAX_VIEW_NAME)
/** The filters of the address by their names, as the list has them; what it doesn't know it leaves out. */
const filters = z
  .record(z.string().regex(/^[a-z_]{1,32}$/i), z.string().min(1).max(500))
  .refine((given) => Object.keys(given).length <= 12, 'at most 12 filters')
  .refine(
    (given) => utf8Length(JSON.stringify(given)) <= MAX_FILTER_BYTES,
    'these filters are too long together',
  )

export const viewRef = z.object({ view_id: z.string().regex(/^view_[0-9a-f]{12}$/) }).strict()
export const saveViewRequest = z.object({ list, name, filters }).strict()
export type SaveView = z.infer<typeof saveViewRequest>
export const renameViewRequest = viewRef.extend({ name }).strict()

export const savedView = z.object({ view_id: z.string(), list, name: z.string(), filters }).strict()
export type SavedView = z.infer<typeof savedView>
/** By list and name; an account has so few that there are no pages. */
export const savedViews = z.object({ items: z.array(savedView) }).strict()
