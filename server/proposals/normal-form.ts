import { parseGardenPath } from '#domain/garden/garden-path.ts'
import { toNoteText } from '#domain/garden/note-text.rules.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { ABSENT, type Diff } from '#domain/proposal/conflict.rules.ts'
import { applyDiff, diffStats, unifiedDiff } from '#server/garden/apply-diff.ts'
import { budgetRefusal } from '#server/garden/budget-refusal.ts'
import { fileFault } from '#server/garden/file-fault.ts'
import { type TagChange, taggedText } from '#server/garden/tagged-text.ts'
import type { GitFile, GitRepository } from '#server/ports/git-repository.ts'
import { sha256Hex } from '#server/ports/object-store.ts'
import { diffOf, type StoredChange } from './proposal-row.ts'

/** A change on its way in. `baseHash`, `baseRevision`: the content it was made on, when its author says so. */
export type DraftChange = {
  path: string
  diff: Diff
  baseHash?: string
  baseRevision?: string
  tags?: TagChange
}

/** SHA-256 of what a change leaves behind; `absent` once deleted. */
export const hashOfText = (text: string | null): string => (text === null ? ABSENT : sha256Hex(text))

/**
 * Brings changes to their normal form against `head` ([proposals#changes]); refuses what does not apply, changes nothing, or leaves an
 * invalid file ([inbox#admission-checks] 5–7).
 */
export async function normalForm(
  garden: GitRepository,
  head: string,
  drafts: readonly DraftChange[],
): Promise<Result<StoredChange[]>> {
  const paths = new Set(drafts.map((draft) => draft.path))
  if (paths.size !== drafts.length)
    return refuse({ code: 'DIFF_INVALID', message: 'A file is named twice. Put its changes into one diff.' })
  const changes: StoredChange[] = []
  for (const draft of drafts) {
    const path = parseGardenPath(draft.path)
    if (!path.ok) return path
    const change = await normalChange(garden, head, draft)
    if (!change.ok) return change
    changes.push(change.value)
  }
  return ok(changes)
}

async function normalChange(
  garden: GitRepository,
  head: string,
  draft: DraftChange,
): Promise<Result<StoredChange>> {
  const { path } = draft
  const current = await garden.read(path, head)
  const baseHash = current?.sha256 ?? ABSENT
  if (draft.baseHash && draft.baseHash !== baseHash) {
    const details = { path, current_revision: head, current_hash: baseHash }
    return refuse({ code: 'TARGET_CHANGED', message: `${path} is no longer what was edited.`, details })
  }
  const diff = await onCurrent(garden, current, draft)
  const after = applyDiff(current?.text ?? null, diff)
  if (!after.ok)
    return refuse({ ...after.refusal, message: `${path}: ${after.refusal.message}`, details: { path } })
  const fault =
    after.value === null
      ? null
      : (fileFault(path, after.value) ?? (await budgetRefusal(path, after.value, current?.text ?? null)))
  if (fault) return refuse({ details: { path }, ...fault })
  const unified = unifiedDiff(path, current?.text ?? null, after.value)
  if (unified === '' && current !== null && after.value !== null)
    return refuse({ code: 'DIFF_INVALID', message: `${path} would stay as it is.`, details: { path } })
  return ok({
    path,
    type: diff.type,
    ...(diff.type === 'append' ? { position: diff.position } : {}),
    ...(diff.type === 'append' || diff.type === 'create' ? { text: diff.text } : {}),
    ...(draft.tags ? { tags: { add: [...draft.tags.add], remove: [...draft.tags.remove] } } : {}),
    unified,
    base_hash: baseHash,
    result_hash: hashOfText(after.value),
    ...diffStats(unified),
  })
}

/**
 * A whole new text that was written on an older revision would undo what happened since. It becomes the diff that its author meant, and
 * that has to apply to the file as it is now.
 */
async function onCurrent(garden: GitRepository, current: GitFile | null, draft: DraftChange): Promise<Diff> {
  const { diff } = draft
  if (diff.type !== 'replace' || !('text' in diff) || !draft.baseRevision || !current) return diff
  const base = await garden.read(draft.path, draft.baseRevision)
  if (!base || base.sha256 === current.sha256) return diff
  return { type: 'replace', unified: unifiedDiff(draft.path, toNoteText(base.text), toNoteText(diff.text)) }
}

/** What a stored change makes of that text (`null`: no such file): tags as a change of a set, everything else as its diff. */
export function resultOfChange(change: StoredChange, text: string | null): Result<string | null> {
  if (!change.tags || change.type !== 'replace') return applyDiff(text, diffOf(change))
  if (text === null) return refuse({ code: 'TARGET_NOT_FOUND', message: 'There is no such file.' })
  const tagged = taggedText(change.path, text, change.tags)
  return tagged === null
    ? refuse({ code: 'DIFF_INVALID', message: 'The frontmatter of the note does not parse.' })
    : ok(tagged)
}
