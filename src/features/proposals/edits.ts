import { diffArrays, parsePatch } from 'diff'
import type { ChangeView } from '#contracts/proposal.contract.ts'
import type { EditInput } from '#contracts/proposal-commands.contract.ts'
import { toNoteText } from '#domain/garden/note-text.rules.ts'
import { type Hunk, numbersOf, textWithHunks } from '#domain/proposal/hunks.rules.ts'

/** What the owner makes of one file: the hunks that she takes, and the text that she wrote. Kept as a draft. */
export type FileEdit = { hunks?: readonly number[]; text?: string }
export type FileEdits = Readonly<Record<string, FileEdit>>

/** A file as it would be approved now. */
export type EditedFile = {
  path: string
  hunks: readonly Hunk[]
  accepted: readonly number[]
  base: string | null
  final: string | null
  /** Lines that she wrote or took out herself. */
  lines: number
  isEdited: boolean
  /** She has written in it: the hunks are those of the proposal and can no longer be chosen. */
  isWritten: boolean
  canWrite: boolean
  /** She has left out or written something that can no longer be approved; the proposal is not approved over it either. */
  isLost: boolean
  /** What she wrote there, to be taken along. */
  lostText: string | null
}

/** Beyond this many changed lines they are counted no further. */
const MOST_LINES = 1_000

/** The file of the proposal with what is made of it; a file that has changed meanwhile is taken as a whole, or not at all. */
export function editedFile(change: ChangeView, edit: FileEdit = {}, isOffered = true): EditedFile {
  const { path, base_text: base, proposed_text: proposed } = change
  const hunks = change.unified === '' ? [] : (parsePatch(change.unified)[0]?.hunks ?? [])
  const isClean = isOffered && change.state === 'clean'
  const all = numbersOf(hunks)
  const accepted = isClean ? (edit.hunks ?? all) : all
  const chosen = accepted.length === all.length ? proposed : partOf(base, hunks, accepted)
  const canWrite = isClean && change.type !== 'delete'
  const written = canWrite && edit.text !== undefined ? toNoteText(edit.text) : null
  const final = written ?? chosen
  const isDrafted = edit.text !== undefined || (edit.hunks ?? all).length !== all.length
  const isLost = !isClean && isDrafted
  return {
    path,
    hunks,
    accepted,
    base,
    final,
    lines: written === null ? 0 : changedLines(chosen ?? '', written),
    isEdited: final !== proposed || accepted.length !== all.length,
    isLost,
    lostText: isLost ? (edit.text ?? null) : null,
    isWritten: written !== null && written !== chosen,
    canWrite,
  }
}

const partOf = (base: string | null, hunks: readonly Hunk[], accepted: readonly number[]): string | null =>
  accepted.length === 0 ? base : textWithHunks(base ?? '', hunks, accepted)

function changedLines(before: string, after: string): number {
  const parts = diffArrays(before.split('\n'), after.split('\n'), { maxEditLength: MOST_LINES })
  if (!parts) return MOST_LINES
  let changed = 0
  for (const [i, { added, removed, count }] of parts.entries()) {
    if (removed) changed += Math.max(count, parts[i + 1]?.added ? (parts[i + 1]?.count ?? 0) : 0)
    else if (added && !parts[i - 1]?.removed) changed += count
  }
  return changed
}

/** The hunks with this one taken or left out. */
export const toggled = ({ hunks, accepted }: EditedFile, n: number): readonly number[] =>
  numbersOf(hunks).filter((one) => (one === n ? !accepted.includes(one) : accepted.includes(one)))

/** What is asked for: the files that are not taken as proposed. */
export const askedOf = (files: readonly EditedFile[]): EditInput['changes'] =>
  files
    .filter((file) => file.isEdited)
    .map(({ path, accepted, isWritten, final }) => ({
      path,
      hunks: [...accepted],
      ...(isWritten ? { text: final ?? '' } : {}),
    }))

/** How much of the proposal is approved. */
export function countsOf(files: readonly EditedFile[]) {
  const sum = (of: (file: EditedFile) => number) => files.reduce((total, file) => total + of(file), 0)
  return {
    taken: sum((file) => file.accepted.length),
    total: sum((file) => file.hunks.length),
    lines: sum((file) => file.lines),
  }
}
