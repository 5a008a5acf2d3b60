/**
 * Whether a proposal will be in conflict once the decisions on the same target that still wait for their application are applied
 * ([proposals#conflicts]). It is said beforehand, and decides nothing: an approval is judged by the garden as it is then.
 */
import sql from 'sql-template-tag'
import type { ConflictView } from '#contracts/proposal-conflict.contract.ts'
import { ABSENT } from '#domain/proposal/conflict.rules.ts'
import { overlapsOf } from '#domain/proposal/merge.rules.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { isInConflict, standingOf } from '#domain/proposal/standing.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import { states } from '#server/ledger/states.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { baseTextOf } from './base-text.ts'
import type { CurrentContent } from './current-content.ts'
import { mergeChanges, noteTextAt } from './merge-changes.ts'
import { hashOfText, resultOfChange } from './normal-form.ts'
import { changeBase, type ProposalRow } from './proposal-row.ts'

type Ahead = Row<
  'proposal',
  | 'proposal_id'
  | 'summary'
  | 'apply_not_before'
  | 'changes'
  | 'base_revision'
  | 'relations'
  | 'force_over_hash'
>
type Parts = { db: Db; garden: GitRepository }
type File = { text: string | null; hash: string }

/** Null when nothing ahead of it changes what this one was proposed on, or the change applies all the same. */
export async function predictConflict(
  { db, garden }: Parts,
  row: ProposalRow,
  content: CurrentContent,
): Promise<ConflictView['predicted']> {
  const queue = await queueAhead(db, row)
  if (queue.length === 0) return null
  const files = new Map<string, File>()
  for (const { path } of row.changes)
    files.set(path, {
      text: await noteTextAt(garden, path, content.head),
      hash: await content.hashOf(path),
    })
  let cause: Ahead | null = null
  for (const ahead of queue) if (await applyTo({ db, garden }, files, ahead)) cause = ahead
  if (!cause) return null
  const standing = standingOf(
    row.changes.map((change) => ({
      ...changeBase(change),
      currentHash: files.get(change.path)?.hash ?? ABSENT,
    })),
  )
  if (!isInConflict(standing)) return null
  const currentText = async (path: string) => files.get(path)?.text ?? null
  const merged = await mergeChanges({ db, garden }, row, { standing, currentText })
  const overlaps = merged.ok ? merged.value.flatMap(({ merge }) => overlapsOf(merge)).length : 1
  return {
    proposal_id: cause.proposal_id,
    summary: cause.summary,
    apply_not_before: cause.apply_not_before?.toISOString() ?? null,
    clean: overlaps === 0,
    overlaps,
  }
}

/** What is applied before this one could be, in the order of the queue. SQL: rows compared as tuples, by the index of the queue. */
async function queueAhead(db: Db, row: ProposalRow): Promise<Ahead[]> {
  const { rows } =
    await db.query<Ahead>(sql`SELECT proposal_id, summary, apply_not_before, changes, base_revision, relations, force_over_hash FROM proposal
    WHERE target_key = ${row.target_key} AND proposal_id <> ${row.proposal_id}
      AND status IN ${states(proposalMachine, 'APPROVED', 'AUTO_APPROVED', 'APPLYING')}
    ORDER BY decided_at, created_at, proposal_id LIMIT 20`)
  return rows
}

/** The files as they will be; false when it leaves them alone, or will fail itself. What is forced asks no file what it says. */
async function applyTo(parts: Parts, files: Map<string, File>, ahead: Ahead): Promise<boolean> {
  const forced = ahead.force_over_hash !== null
  const own = ahead.changes.flatMap((change) => {
    const file = files.get(change.path)
    return file ? [{ change, file }] : []
  })
  const standing = standingOf(
    own.map(({ change, file }) => ({ ...changeBase(change), currentHash: file.hash })),
  )
  if (own.length === 0 || (!forced && isInConflict(standing))) return false
  for (const { change, file } of own) {
    const from = forced ? (await baseTextOf(parts, ahead, change)).text : file.text
    const result = resultOfChange(change, from)
    if (!result.ok) return false
    files.set(change.path, { text: result.value, hash: hashOfText(result.value) })
  }
  return true
}
