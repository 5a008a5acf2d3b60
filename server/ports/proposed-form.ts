import { z } from 'zod'
import { bareTag, isTag } from '#domain/garden/tag.rules.ts'

const unifiedOrText = z.union([
  z.object({ type: z.literal('replace'), unified: z.string().min(1) }).strict(),
  z.object({ type: z.literal('replace'), text: z.string() }).strict(),
])
/** The diff types. */
export const proposedDiff = z.union([
  z.object({ type: z.literal('create'), text: z.string() }).strict(),
  unifiedOrText,
  z
    .object({
      type: z.literal('append'),
      position: z.union([z.enum(['end', 'after-frontmatter']), z.number().int().min(1)]),
      text: z.string(),
    })
    .strict(),
  z.object({ type: z.literal('delete') }).strict(),
])

/** Tags that a proposal adds or removes; with or without `#`, as people write them. */
export const proposedTags = z
  .array(
    z
      .string()
      .max(256)
      .refine((tag) => isTag(bareTag(tag)), 'is not a tag'),
  )
  .max(50)
  .describe('Tags, for propose-tag alone, which has neither diff nor changes.')

const NEEDS_TAGS = 'propose-tag needs tags to add or to remove, and neither a diff nor changes'
const NO_TAGS = 'only propose-tag adds and removes tags'

type Form = { action: string } & Partial<Record<'diff' | 'changes', unknown>> &
  Partial<Record<'add' | 'remove', readonly string[] | undefined>>

/** What is wrong with a proposal's form, whose fields may each be right; null when nothing is. */
export function formFault({ action, diff, changes, add, remove }: Form): string | null {
  if (action === 'propose-tag') {
    const some = (add?.length ?? 0) + (remove?.length ?? 0) > 0
    return some && diff === undefined && changes === undefined ? null : NEEDS_TAGS
  }
  if (add !== undefined || remove !== undefined) return NO_TAGS
  return (diff === undefined) === (changes === undefined) ? 'needs either a diff or changes' : null
}
