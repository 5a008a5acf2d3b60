/**
 * The record of a sync that a node carries out ([membridge#syncs]): written before the node is called, ended by its answer. An answer that comes after
 * the sync was given up changes nothing, and whoever brings it is told so.
 */
import { randomBytes } from 'node:crypto'
import sql, { type Sql } from 'sql-template-tag'
import type { SyncView } from '#contracts/membridge.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { SyncAction } from '#domain/membridge/sync.machine.ts'
import {
  detailOf,
  endOf,
  outputTail,
  SYNC_ANSWER_SECONDS,
  type SyncOutcome,
} from '#domain/membridge/sync.rules.ts'
import { fromNow } from '#server/ledger/clock.ts'
import { create } from '#server/ledger/create.ts'
import type { Row } from '#server/ledger/rows.ts'
import { transition } from '#server/ledger/transition.ts'
import { redactText } from '#server/redaction/redact.ts'
import type { Services } from '#server/services.ts'
import { SYNC_COLUMNS, syncView } from './sync-view.ts'

type Parts = Pick<Services, 'db'>

export type SyncRequest = {
  action: SyncAction
  project: string
  agent: string
  canonicalId: string
  requestId: string | null
  /** What a person gave. */
  reason?: string | undefined
  /** The caller calls the node itself, now; else the sync waits for the control plane. */
  takenUp?: true
}

/** Records that a sync begins; its id is `id` of the answer. */
export async function requestSync(
  { db }: Parts,
  { action, project, agent, canonicalId, requestId, reason, takenUp }: SyncRequest,
  caller: Caller,
): Promise<SyncView> {
  const row = await create(db, {
    machine: 'membridge_sync',
    actor: caller,
    reason,
    values: {
      sync_id: randomBytes(8).toString('hex'),
      ...{ action, project, agent, canonical_id: canonicalId, request_id: requestId },
      ...{ requested_by: caller.identity, called_at: takenUp ? sql`clock_timestamp()` : null },
    },
    details: { action, project, agent, canonical_id: canonicalId },
  })
  if (!row) throw new Error('the id of a sync was given twice')
  return syncView(row)
}

/** How a sync ended, and what the node said; texts give up their secrets and all but their end. */
export type SyncEnd = {
  sync_id: string
  action: SyncAction
  outcome: SyncOutcome
  detail: string
  stdout?: string | undefined
  stderr?: string | undefined
  returncode?: number | undefined
  dryrun?: boolean | undefined
}

/** Ends a sync; 409 when it has ended, 404 when there is none of this id and kind. */
export async function finishSync({ db }: Parts, end: SyncEnd, caller: Caller): Promise<Result<SyncView>> {
  const { sync_id, action, outcome } = end
  const [row] = await transition(db, {
    machine: 'membridge_sync',
    event: endOf(action, outcome),
    actor: caller,
    where: sql`o.sync_id = ${sync_id} AND o.action = ${action}`,
    set: sql`finished_at = clock_timestamp(), detail = ${detailOf(redactText(end.detail))}, stdout = ${kept(end.stdout)},
      stderr = ${kept(end.stderr)}, returncode = ${end.returncode ?? null}, dryrun = ${end.dryrun ?? null}`,
    details: ENDED,
    returning: SYNC_COLUMNS,
  })
  return row ? ok(syncView(row)) : refusedBecause({ db }, end)
}

/** Secrets are looked for before the text is cut: half a secret would not be recognised. */
const kept = (output: string | undefined): string | null =>
  output === undefined ? null : outputTail(redactText(output))

const ENDED: Sql = sql`jsonb_build_object('action', m.action, 'project', m.project, 'agent', m.agent, 'canonical_id', m.canonical_id,
  'returncode', m.returncode, 'dryrun', m.dryrun)`

async function refusedBecause({ db }: Parts, { sync_id, action }: SyncEnd): Promise<Result<never>> {
  const { rows } = await db.query<Row<'membridge_sync', 'status'>>(
    sql`SELECT s.status FROM membridge_sync s WHERE s.sync_id = ${sync_id} AND s.action = ${action}`,
  )
  const from = rows[0]?.status
  if (!from) return refuse({ code: 'NOT_FOUND', message: `Job '${sync_id}' not found` })
  return refuse({
    code: 'INVALID_TRANSITION',
    message: `The sync has ended already: it is ${from}.`,
    details: { from, allowed: [] },
  })
}

const BATCH = 100

/** Gives up syncs that nobody has ended in time, oldest first and at most a hundred; returns how many. */
export async function expireSyncs({ db }: Parts, caller: Caller): Promise<number> {
  const rows = await transition(db, {
    machine: 'membridge_sync',
    event: 'give_up',
    actor: caller,
    where: sql`o.created_at <= ${fromNow(-SYNC_ANSWER_SECONDS)}`,
    batch: { order: sql`o.created_at, o.sync_id`, limit: BATCH },
    set: sql`finished_at = clock_timestamp(), detail = ${`No answer within ${SYNC_ANSWER_SECONDS / 60} minutes. Run the sync again.`}`,
    details: ENDED,
    returning: ['sync_id'],
  })
  return rows.length
}
