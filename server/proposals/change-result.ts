import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { applyDiff } from '#server/garden/apply-diff.ts'
import { taggedText } from '#server/garden/tagged-text.ts'
import { diffOf, type StoredChange } from './proposal-row.ts'

/** What this change makes of that text (`null`: no such file): tags as a change of a set, everything else as its diff. */
export function resultOfChange(change: StoredChange, text: string | null): Result<string | null> {
  if (!change.tags || change.type !== 'replace') return applyDiff(text, diffOf(change))
  if (text === null) return refuse({ code: 'TARGET_NOT_FOUND', message: 'There is no such file.' })
  const tagged = taggedText(change.path, text, change.tags)
  return tagged === null
    ? refuse({ code: 'DIFF_INVALID', message: 'The frontmatter of the note does not parse.' })
    : ok(tagged)
}
