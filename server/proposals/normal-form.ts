import { newPathFault, parseGardenPath, pathRefusal } from '#domain/garden/garden-path.ts'
import { toNoteText } from '#domain/garden/note-text.rules.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { ABSENT, type Diff } from '#domain/proposal/conflict.rules.ts'
import { applyDiff, diffStats, unifiedDiff } from '#server/garden/apply-diff.ts'
import { artifactOfAnnotation } from '#server/garden/artifact-annotation.ts'
import { ADMISSION_MS, budgetRefusal } from '#server/garden/budget-refusal.ts'
import { fileFault } from '#server/garden/file-fault.ts'
import { locatePath } from '#server/garden/locate-path.ts'
import { roomForNew } from '#server/garden/room-for-new.ts'
import { type TagChange, tagDiff, taggedText } from '#server/garden/tagged-text.ts'
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
  /** The garden had this path, or it follows from one that the garden has: the rules of new names do not hold for it. */
  isKnownPath?: boolean
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
  if (drafts.length === 0)
    return refuse({ code: 'DIFF_INVALID', message: 'A proposal needs at least one change.' })
  const changes: StoredChange[] = []
  const until = performance.now() + ADMISSION_MS
  const room = roomForNew(garden, head)
  for (const draft of drafts) {
    const path = await admittedPath(garden, head, draft)
    if (!path.ok) return path
    const taken = draft.diff.type === 'create' ? await room(path.value) : null
    if (taken) return refuse(taken)
    const change = await normalChange(garden, head, { ...draft, path: path.value }, until)
    if (!change.ok) return change
    changes.push(change.value)
  }
  if (new Set(changes.map((change) => change.path)).size !== changes.length)
    return refuse({ code: 'DIFF_INVALID', message: 'A file is named twice. Put its changes into one diff.' })
  return ok(changes)
}

/** The path as the garden spells it; what is to be made is held to the rules of new names ([garden#paths]). */
async function admittedPath(
  garden: GitRepository,
  head: string,
  { path, diff, isKnownPath }: DraftChange,
): Promise<Result<string>> {
  const parsed = parseGardenPath(path)
  if (!parsed.ok || isKnownPath) return parsed
  const there = await locatePath(garden, head, path)
  if (there.exists || diff.type !== 'create') return ok(there.path)
  const fault = newPathFault(there.path, there.standing)
  if (fault) return refuse(pathRefusal(fault))
  const message = `Not a garden path: “${there.twin}” is there, and differs in letter case or form alone.`
  return there.twin === null ? ok(there.path) : refuse({ code: 'PATH_NOT_ALLOWED', message })
}

async function normalChange(
  garden: GitRepository,
  head: string,
  draft: DraftChange,
  until: number,
): Promise<Result<StoredChange>> {
  const { path } = draft
  const current = await garden.read(path, head)
  const baseHash = current?.sha256 ?? ABSENT
  if (draft.baseHash && draft.baseHash !== baseHash) {
    const details = { path, current_revision: head, current_hash: baseHash }
    return refuse({ code: 'TARGET_CHANGED', message: `${path} is no longer what was edited.`, details })
  }
  const meant = draft.tags
    ? tagDiff(path, current?.text ?? null, draft.tags)
    : ok(await onCurrent(garden, current, draft))
  if (!meant.ok) return meant
  const diff = meant.value
  const after = applyDiff(current?.text ?? null, diff)
  if (!after.ok)
    return refuse({ ...after.refusal, message: `${path}: ${after.refusal.message}`, details: { path } })
  const fault =
    after.value === null
      ? null
      : (fileFault(path, after.value) ??
        (await budgetRefusal(path, after.value, current?.text ?? null, until)))
  if (fault) return refuse({ details: { path }, ...fault })
  const unified = unifiedDiff(path, current?.text ?? null, after.value)
  if (unified === '' && current !== null && after.value !== null)
    return refuse({ code: 'DIFF_INVALID', message: `${path} would stay as it is.`, details: { path } })
  return ok({
    path,
    type: diff.type,
    ...(diff.type === 'append' ? { position: diff.position } : {}),
    ...(diff.type === 'append' || diff.type === 'create' ? { text: diff.text } : {}),
    ...(draft.tags ? { tags: storedTags(draft.tags) } : {}),
    unified,
    base_hash: baseHash,
    result_hash: hashOfText(after.value),
    ...diffStats(unified),
  })
}

const storedTags = ({ add, remove, stamp }: TagChange): NonNullable<StoredChange['tags']> => ({
  add: [...add],
  remove: [...remove],
  ...(stamp ? { stamp } : {}),
})

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
  if (!change.tags) return applyDiff(text, diffOf(change))
  // A proposal of an earlier version has no stamp: what it was reviewed as is what it becomes.
  if (artifactOfAnnotation(change.path) !== null && !change.tags.stamp) return applyDiff(text, diffOf(change))
  if (text === null && change.type === 'replace')
    return refuse({ code: 'TARGET_NOT_FOUND', message: 'There is no such file.' })
  const tagged = taggedText(change.path, text, change.tags)
  return tagged === null
    ? refuse({ code: 'DIFF_INVALID', message: 'The frontmatter of the note does not parse.' })
    : ok(tagged)
}
