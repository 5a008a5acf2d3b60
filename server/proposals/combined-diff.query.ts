/**
 * What several proposals do together ([proposals#alike]): each applied after those before it, file by file, as the Apply Engine would
 * apply them. What would be in conflict by then is left out and named, and so is what has no place in the budget of texts any more: a batch
 * may name a thousand files of a megabyte. Proposals are read one at a time.
 */
import type { CombinedDiff } from '#contracts/proposal-batch.contract.ts'
import { toNoteText } from '#domain/garden/note-text.rules.ts'
import { can } from '#domain/kernel/machine.ts'
import { overlaps } from '#domain/proposal/batch.rules.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { isInConflict } from '#domain/proposal/standing.rules.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import type { Services } from '#server/services.ts'
import { currentContent, standingAgainst } from './current-content.ts'
import { reviewDigest } from './digests.ts'
import { resultOfChange } from './normal-form.ts'
import { changeBase, findProposal, type StoredChange } from './proposal-row.ts'

/** Characters of all texts together. */
const BUDGET = 1_000_000

type File = CombinedDiff['files'][number]
type Files = Map<string, File>

export async function combinedDiff(
  { db, garden }: Pick<Services, 'db' | 'garden'>,
  { proposal_ids }: { proposal_ids: readonly string[] },
): Promise<CombinedDiff> {
  const content = await currentContent(garden)
  const files: Files = new Map()
  const review_digests: Record<string, string> = {}
  const left_out: string[] = []
  for (const id of new Set(proposal_ids)) {
    const row = await findProposal(db, id)
    const standing = row && (await standingAgainst(content, row.changes))
    const open = row && can(proposalMachine, row.status, 'approve') && !row.overdue
    const after =
      open && standing && !isInConflict(standing) && (await applied(garden, content.head, { row, files }))
    if (!after) {
      left_out.push(id)
      continue
    }
    for (const file of after) files.set(file.path, file)
    review_digests[id] = reviewDigest(row, standing)
  }
  return { files: [...files.values()], review_digests, left_out }
}

type Next = { row: { proposal_id: string; changes: StoredChange[] }; files: Files }

/** The files of one proposal after it, or null when it does not apply after those before it. */
async function applied(garden: GitRepository, head: string, { row, files }: Next): Promise<File[] | null> {
  const changes = row.changes.map((change) => ({ path: change.path, ...changeBase(change) }))
  if (overlaps(changes, new Set(files.keys()))) return null
  const all: File[] = []
  for (const change of row.changes) {
    const before = files.get(change.path) ?? (await fileAt(garden, head, change.path))
    const after = next(before, change)
    if (!after) return null
    all.push({ ...after, proposal_ids: [...before.proposal_ids, row.proposal_id] })
  }
  return sizeOf([...new Map([...files, ...all.map((file) => [file.path, file] as const)]).values()]) <= BUDGET
    ? all
    : null
}

function next(file: File, change: StoredChange): File | null {
  const result = resultOfChange(change, file.after)
  return result.ok ? { ...file, after: result.value } : null
}

async function fileAt(garden: GitRepository, head: string, path: string): Promise<File> {
  const found = await garden.read(path, head)
  const text = found ? toNoteText(found.text) : null
  return { path, before: text, after: text, proposal_ids: [] }
}

const sizeOf = (files: readonly File[]): number =>
  files.reduce((total, { before, after }) => total + (before?.length ?? 0) + (after?.length ?? 0), 0)
