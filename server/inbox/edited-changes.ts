import type { EditInput } from '#contracts/proposal-commands.contract.ts'
import { toNoteText } from '#domain/garden/note-text.rules.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { ABSENT, isCommutative } from '#domain/proposal/conflict.rules.ts'
import { areHunksOf, type Hunk, leftOut, numbersOf, textWithHunks } from '#domain/proposal/hunks.rules.ts'
import { applyHunks, diffStats, hunksOf, unifiedDiff } from '#server/garden/apply-diff.ts'
import { fileFault } from '#server/garden/file-fault.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { type DraftChange, hashOfText, resultOfChange } from '#server/proposals/normal-form.ts'
import { changeBase, type ProposalRow, type StoredChange } from '#server/proposals/proposal-row.ts'
import { DEFINITION } from './definition-fault.ts'
import { sameChange } from './resubmit-proposal.ts'

/** One file of a proposal with what the owner makes of it. */
export type EditedChange = {
  change: StoredChange
  hunks: Hunk[]
  accepted: number[]
  /** The text before, and what the owner makes of it; null is "no such file". */
  base: string | null
  final: string | null
  /** What she wrote herself: from the text of the accepted hunks to the final one; empty when nothing. */
  written: string
}

/** Nothing of this file is accepted. */
export const isLeftOut = ({ base, final }: EditedChange): boolean => base === final
/** The file becomes what was proposed. */
export const isAsProposed = ({ hunks, accepted, written }: EditedChange): boolean =>
  written === '' && accepted.length === hunks.length
/** Lines that the owner wrote or took out herself. */
export const linesWritten = ({ written }: EditedChange): number => {
  const { additions, deletions } = diffStats(written)
  return Math.max(additions, deletions)
}

type Asked = EditInput['changes'][number]

/** All files of the proposal as they are asked for, against the garden as it is now. */
export async function editedChanges(
  garden: GitRepository,
  row: ProposalRow,
  asked: EditInput['changes'],
): Promise<Result<EditedChange[]>> {
  const fault = faultOf(row, asked)
  if (fault) return invalid(fault.field, fault.message)
  const changes: EditedChange[] = []
  for (const change of row.changes) {
    const edited = await editedChange(
      garden,
      change,
      asked.find(({ path }) => path === change.path),
    )
    if (!edited.ok) return edited
    changes.push(edited.value)
  }
  return ok(changes)
}

const invalid = (field: string, message: string): Result<never> =>
  refuse({
    code: 'VALIDATION_FAILED',
    message: `The edit is not possible: ${field} ${message}.`,
    details: [{ field, message }],
  })

function faultOf(row: ProposalRow, asked: readonly Asked[]): { field: string; message: string } | null {
  if (new Set(asked.map(({ path }) => path)).size !== asked.length)
    return { field: 'changes', message: 'names a file twice' }
  for (const [i, { path, hunks, text }] of asked.entries()) {
    const change = row.changes.find((one) => one.path === path)
    if (!change) return { field: `changes.${i}.path`, message: 'is not a file of the proposal' }
    if (hunks && !areHunksOf(hunksOf(change.unified).length, hunks))
      return { field: `changes.${i}.hunks`, message: 'are not hunks of the diff' }
    if (text !== undefined && change.type === 'delete')
      return { field: `changes.${i}.text`, message: 'cannot be edited in this file' }
  }
  return null
}

async function editedChange(
  garden: GitRepository,
  change: StoredChange,
  asked: Asked | undefined,
): Promise<Result<EditedChange>> {
  const file = await garden.read(change.path)
  const base = file ? toNoteText(file.text) : null
  const hunks = hunksOf(change.unified)
  const accepted = [...(asked?.hunks ?? numbersOf(hunks))].sort((a, b) => a - b)
  const isWhole = accepted.length === hunks.length
  const proposed = isWhole ? resultOfChange(change, base) : ok(null)
  if (!proposed.ok) return proposed
  const isEdited = !isWhole || asked?.text !== undefined
  // The numbers and the text are those of the file as it was proposed on; a mergeable change is taken as a whole.
  if (isEdited && (file?.sha256 ?? ABSENT) !== change.base_hash)
    return refuse({
      code: 'TARGET_CHANGED',
      message: `${change.path} has changed since this was proposed: it can be approved as a whole, not in part.`,
      details: { path: change.path, current_hash: file?.sha256 ?? ABSENT },
    })
  const chosen = isWhole ? proposed.value : partOf(base, hunks, accepted)
  const final = asked?.text === undefined ? chosen : asTextOf(asked.text, base)
  const written = unifiedDiff(change.path, chosen, final)
  return ok({ change, hunks, accepted, base, final, written })
}

/** A file that is not there is not made by none of its hunks. */
const partOf = (base: string | null, hunks: readonly Hunk[], accepted: readonly number[]): string | null =>
  accepted.length === 0 ? base : textWithHunks(base ?? '', hunks, accepted)

const asTextOf = (text: string, base: string | null): string | null =>
  text === '' && base === null ? null : toNoteText(text)

/**
 * The changes of the child: what is as proposed stays in its own form, so that appends and tags go on commuting. Everything else is bound
 * to the content it was reviewed on, since the garden is read again for the child.
 */
export const draftsOf =
  (id: string, edited: readonly EditedChange[]) =>
  (newId: string): DraftChange[] =>
    edited
      .filter((one) => !isLeftOut(one))
      .map((one) => {
        const same = sameChange(one.change, id, newId)
        const baseHash = one.change.base_hash
        if (isAsProposed(one))
          return isCommutative(changeBase(one.change).diff) ? same : { ...same, baseHash }
        const text = one.final ?? ''
        const diff =
          one.base === null ? { type: 'create' as const, text } : { type: 'replace' as const, text }
        return { path: same.path, diff, baseHash, isKnownPath: true }
      })

/** What is left out, as changes on top of what is accepted; 422 where a hunk does not fit the text that was written. */
export function remainderOf(
  id: string,
  newId: string,
  edited: readonly EditedChange[],
): Result<StoredChange[]> {
  const rest: StoredChange[] = []
  for (const one of edited) {
    const out = leftOut(one.hunks, one.accepted)
    if (out.length === 0) continue
    if (DEFINITION.test(one.change.path))
      return invalid('remainder', 'of a definition cannot be proposed on its own: its version has to rise')
    const change = isLeftOut(one) ? ok(wholeOf(one.change, id, newId)) : partAfter(one, out)
    if (!change.ok) return change
    rest.push(change.value)
  }
  return ok(rest)
}

const wholeOf = (change: StoredChange, id: string, newId: string): StoredChange => ({
  ...change,
  path: change.path.replace(id, newId),
})

function partAfter({ change, hunks, final }: EditedChange, out: readonly number[]): Result<StoredChange> {
  const { path } = change
  const before = final ?? ''
  const after = applyHunks(
    path,
    before,
    hunks.filter((_, i) => out.includes(i + 1)),
  )
  if (!after.ok)
    return refuse({
      ...after.refusal,
      message: `${path}: what is left out does not fit the edited text. Reject it instead.`,
      details: { path },
    })
  const fault = fileFault(path, after.value)
  if (fault) return refuse({ details: { path }, ...fault })
  const unified = unifiedDiff(path, before, after.value)
  return ok({
    path,
    type: 'replace',
    unified,
    base_hash: hashOfText(before),
    result_hash: hashOfText(after.value),
    ...diffStats(unified),
  })
}
