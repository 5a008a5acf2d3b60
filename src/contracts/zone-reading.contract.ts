import { z } from 'zod'
import { zoneRef } from './zone.contract.ts'

/** Guests of a zone are numbered in the order in which they entered; nothing else is said of who they are. */
const guest = z.coerce.number().int().min(1).max(2_147_483_647)

export const readingListRequest = z
  .object({
    ...zoneRef.shape,
    /** What one guest opened. */
    guest: guest.optional(),
    cursor: z.string().max(200).optional(),
    limit: z.coerce.number().int().min(1).max(100).default(50),
  })
  .strict()
export type ReadingList = z.infer<typeof readingListRequest>

export const readingView = z
  .object({
    reading_id: z.string(),
    guest: z.number().int(),
    /** As it was called when it was read: the note may be gone, or elsewhere, since. */
    path: z.string(),
    openings: z.number().int(),
    first_read_at: z.iso.datetime(),
    last_read_at: z.iso.datetime(),
  })
  .strict()
export type ReadingView = z.infer<typeof readingView>
export const readingPage = z
  .object({ items: z.array(readingView), next_cursor: z.string().nullable() })
  .strict()

/** A guest who has opened notes. */
export const readerView = z
  .object({
    guest: z.number().int(),
    entered_at: z.iso.datetime(),
    notes: z.number().int(),
    last_read_at: z.iso.datetime(),
  })
  .strict()
export type ReaderView = z.infer<typeof readerView>
/** The latest readers first, at most 200; `total` counts them all. */
export const readerList = z.object({ items: z.array(readerView), total: z.number().int() }).strict()
