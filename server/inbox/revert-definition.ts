import { asEditOf, withRaisedVersion } from '#domain/agent/definition-version.rules.ts'
import { toNoteText } from '#domain/garden/note-text.rules.ts'
import { ok, type Result } from '#domain/kernel/result.ts'
import { applyDiff, unifiedDiff } from '#server/garden/apply-diff.ts'
import type { DraftChange } from '#server/proposals/normal-form.ts'

/** The definition before the commit, after it, and as it is now. */
type Texts = { before: string; after: string; now: string }

/**
 * Undoes an edit of a definition as a new version with the old content: versions never go back [proposals#P18]. The lines that
 * say which edit it is take no part in the comparison, so that later edits of other lines do not stand in the way. Null where there is no
 * content to bring back, or no version to raise.
 */
export function revertDefinition(path: string, texts: Texts): Result<DraftChange> | null {
  const [before, after, now] = [texts.before, texts.after, texts.now].map(toNoteText) as [
    string,
    string,
    string,
  ]
  const inverse = unifiedDiff(path, after, asEditOf(before, after))
  if (inverse === '') return null
  const undone = applyDiff(asEditOf(now, after), { type: 'replace', unified: inverse })
  if (!undone.ok) return undone
  const next = withRaisedVersion(asEditOf(undone.value ?? '', now))
  return next === null ? null : ok({ path, diff: { type: 'replace', unified: unifiedDiff(path, now, next) } })
}
