import sql from 'sql-template-tag'
import { APPLY_ENGINE } from '#domain/authority/caller.ts'
import { Refused } from '#domain/kernel/errors.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { isOfAgents } from '#server/agents/sync-agents.ts'
import { projectLabelsOf } from '#server/artifacts/project-labels.ts'
import type { Db } from '#server/ledger/database.ts'
import { json } from '#server/ledger/event-fields.ts'
import { prepared } from '#server/ledger/prepared.ts'
import { state } from '#server/ledger/states.ts'
import { transition } from '#server/ledger/transition.ts'
import { StorageUnavailable } from '#server/ports/object-store.ts'
import { isDiskFull } from '#server/ports/storage-fault.ts'
import type { ApplyError, ProposalRow } from '#server/proposals/proposal-row.ts'
import { redactText } from '#server/redaction/redact.ts'
import { computeResult } from './compute-result.ts'
import type { Engine } from './engine.ts'
import { combinedHash, outcomeOfCommit, writeCommit } from './garden-commit.ts'
import { judgeResult } from './judge-result.ts'
import { commitOf } from './trailer-index.ts'

/** The outcome: `left` stays APPLYING for recovery; `lost` belongs to another engine. */
export type Applied =
  | { outcome: 'applied'; commit: string }
  | { outcome: 'failed'; error: ApplyError }
  | { outcome: 'lost' | 'left' }

/** One writer in the repository: the key of the advisory lock ("garden" in bytes). */
export const GARDEN_LOCK = 0x67617264
const MAX_MOVES = 5
const STORAGE_PAUSES_MS = [1_000, 2_000, 4_000]
const DEADLINE_MS = 60_000

/** Steps 2–7 ([apply#steps]) for a proposal that this engine has taken. Never commits twice; returns the outcome. */
export async function applyProposal(engine: Engine, row: ProposalRow): Promise<Applied> {
  const attempt: Attempt = { row, began: performance.now(), mayHaveMoved: false }
  for (const pauseMs of [...STORAGE_PAUSES_MS, null]) {
    try {
      const applied = await engine.db.transaction((tx) => applyOnce(engine, tx, attempt))
      if (applied.outcome === 'applied') await engine.checkpoint('recorded')
      return applied
    } catch (error) {
      engine.log.warn({ err: error, proposal_id: row.proposal_id }, 'applying failed')
      const transient = isStorageFault(error)
      if (transient && pauseMs !== null) await engine.pause(pauseMs)
      else return giveUp(engine, attempt, error)
    }
  }
  return { outcome: 'left' }
}

type Attempt = { row: ProposalRow; began: number; mayHaveMoved: boolean }

async function applyOnce(engine: Engine, tx: Db, attempt: Attempt): Promise<Applied> {
  const { row } = attempt
  if (!(await holdRow(tx, row))) return { outcome: 'lost' }
  for (let moves = 0; moves < MAX_MOVES; moves++) {
    const head = await engine.garden.head()
    const there = await commitOf(engine.garden, head, row.proposal_id)
    await engine.checkpoint('looked')
    if (there) return recordApplied(engine, tx, row, there)
    attempt.mayHaveMoved = false
    const computed = await computeResult(engine.garden, head, row)
    if (!computed.ok) return recordFailed(tx, row, computed.error)
    const invalid = await judgeResult(engine, tx, head, computed.files)
    if (invalid) return recordFailed(tx, row, invalid)
    await engine.checkpoint('computed')
    const commit = await writeCommit(engine.garden, head, row, computed)
    await engine.checkpoint('written')
    if (performance.now() - attempt.began > DEADLINE_MS)
      return recordFailed(tx, row, { code: 'timeout', message: 'Applying took longer than 60 seconds.' })
    attempt.mayHaveMoved = true
    if (await engine.garden.updateBranch(head, commit)) {
      await engine.checkpoint('moved')
      return recordApplied(engine, tx, row, commit)
    }
  }
  attempt.mayHaveMoved = false
  return recordFailed(tx, row, {
    code: 'internal',
    message: `The branch moved ${MAX_MOVES} times while this was applied. Retry it.`,
  })
}

/**
 * The repository's lock, then the row under its fence, for as long as the transaction lasts. A stalled engine loses both by its timeouts, which are
 * set before it waits. The row is looked at again once it is locked, so what happened to it during the wait for the repository counts.
 */
async function holdRow(tx: Db, row: ProposalRow): Promise<boolean> {
  const { rows } = await tx.query(
    prepared(sql`WITH limits AS MATERIALIZED (
        SELECT set_config('lock_timeout', '50s', true), set_config('idle_in_transaction_session_timeout', '45s', true)
      ), repository AS MATERIALIZED (SELECT pg_advisory_xact_lock(${GARDEN_LOCK}) FROM limits)
      SELECT 1 FROM proposal o WHERE (SELECT count(*) FROM repository) = 1
        AND o.proposal_id = ${row.proposal_id} AND o.fence = ${row.fence} AND o.status = ${state(proposalMachine, 'APPLYING')}
      FOR UPDATE OF o`),
  )
  return rows.length > 0
}

async function recordApplied(engine: Engine, tx: Db, row: ProposalRow, commit: string): Promise<Applied> {
  const { paths, resultHash, overHash } = await outcomeOfCommit(engine.garden, row, commit)
  const reviewed = combinedHash(row.changes.map((change) => [change.path, change.result_hash]))
  const rebased = !row.force_over_hash && resultHash !== reviewed
  const [moved] = await transition(tx, {
    machine: 'proposal',
    event: 'applied',
    actor: APPLY_ENGINE,
    where: sql`o.proposal_id = ${row.proposal_id} AND o.fence = ${row.fence}`,
    set: sql`git_commit = ${commit}, applied_paths = ${json(paths)}, result_hash = ${resultHash}, applied_over_hash = ${overHash},
      rebased = ${rebased}, error = NULL, lease_holder = NULL, lease_expires_at = NULL, version = t.version + 1`,
    details: { git_commit: commit, paths: paths.slice(0, 20), rebased, ...editedDigests(row, resultHash) },
    returning: ['proposal_id'],
    prepared: true,
  })
  if (!moved) return { outcome: 'lost' }
  if (paths.some(isOfAgents)) tx.notify('agents')
  await projectLabelsOf(tx, engine.garden, { revision: commit, paths })
  return { outcome: 'applied', commit }
}

/** Of an edited approval the audit keeps what was proposed and edited ([proposals#edited-approval]), and here what was applied. */
const editedDigests = (row: ProposalRow, resultHash: string) =>
  row.relations.edited_from
    ? {
        edited_from: row.relations.edited_from,
        edited_digest: row.content_digest,
        applied_digest: resultHash,
      }
    : {}

async function recordFailed(tx: Db, row: ProposalRow, fault: ApplyError): Promise<Applied> {
  const error = { ...fault, message: redactText(fault.message) }
  const [moved] = await transition(tx, {
    machine: 'proposal',
    event: 'fail',
    actor: APPLY_ENGINE,
    where: sql`o.proposal_id = ${row.proposal_id} AND o.fence = ${row.fence}`,
    set: sql`error = ${json(error)}, lease_holder = NULL, lease_expires_at = NULL, version = t.version + 1`,
    reason: error.message,
    errorCode: error.code,
    details: error,
    returning: ['proposal_id'],
  })
  return moved ? { outcome: 'failed', error } : { outcome: 'lost' }
}

/** The repository does not answer, or the disk of the repository or of the ledger is full: the same will do later. */
const isStorageFault = (error: unknown): boolean => error instanceof StorageUnavailable || isDiskFull(error)

/** FAILED only while it is certain that the branch was left alone; otherwise recovery looks for the trailer first. */
async function giveUp(engine: Engine, attempt: Attempt, error: unknown): Promise<Applied> {
  if (attempt.mayHaveMoved) return { outcome: 'left' }
  const failure: ApplyError = isStorageFault(error)
    ? { code: 'storage_unavailable', message: 'The repository did not answer in four attempts.' }
    : error instanceof Refused
      ? { code: 'validation_failed', message: error.message }
      : { code: 'internal', message: 'An unexpected error. See the log of the worker.' }
  try {
    return await engine.db.transaction(async (tx) =>
      (await holdRow(tx, attempt.row)) ? recordFailed(tx, attempt.row, failure) : { outcome: 'lost' },
    )
  } catch (fault) {
    engine.log.warn({ err: fault, proposal_id: attempt.row.proposal_id }, 'left for recovery')
    return { outcome: 'left' }
  }
}
