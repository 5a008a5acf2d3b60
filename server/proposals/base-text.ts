import { toNoteText } from '#domain/garden/note-text.rules.ts'
import { ABSENT } from '#domain/proposal/conflict.rules.ts'
import type { Services } from '#server/services.ts'
import { hashOfText, resultOfChange } from './normal-form.ts'
import { findProposal, type ProposalRow, type StoredChange } from './proposal-row.ts'

type Parts = Pick<Services, 'db' | 'garden'>
/** `isOwn`: it is the very text that the change was made on. */
export type BaseText = { text: string | null; isOwn: boolean }

/**
 * The text that a change was made on; null is "no such file". That is the file at `base_revision`, but what an edited approval left out stands
 * on top of the edited text, which the content of the approved child leads to whether it is applied yet or not ([proposals#edited-approval]).
 */
export async function baseTextOf(
  parts: Parts,
  row: Pick<ProposalRow, 'base_revision' | 'relations'>,
  change: StoredChange,
): Promise<BaseText> {
  const file = await parts.garden.read(change.path, row.base_revision)
  const text = file ? toNoteText(file.text) : null
  if ((file?.sha256 ?? ABSENT) === change.base_hash) return { text, isOwn: true }
  const edited = await editedText(parts, row.relations.remainder_of, change.path)
  return hashOfText(edited) === change.base_hash ? { text: edited, isOwn: true } : { text, isOwn: false }
}

async function editedText(
  { db, garden }: Parts,
  id: string | undefined,
  path: string,
): Promise<string | null> {
  const old = id === undefined ? null : await findProposal(db, id)
  const child = old?.relations.superseded_by ? await findProposal(db, old.relations.superseded_by) : null
  const change = child?.changes.find((one) => one.path === path)
  if (!child || !change) return null
  const file = await garden.read(path, child.base_revision)
  const result = resultOfChange(change, file ? toNoteText(file.text) : null)
  return result.ok ? result.value : null
}
