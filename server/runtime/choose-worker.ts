/** Which worker a task would get now, and why: what the rules of selection read from the ledger, and their explanation as it is kept. */
import sql, { type Sql } from 'sql-template-tag'
import type { SelectionView } from '#contracts/llm-task.contract.ts'
import {
  type Candidate,
  type Considered,
  type NoWorker,
  type Selection,
  selectWorker,
  type Wanted,
} from '#domain/task/selection.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import { prepared } from '#server/ledger/prepared.ts'
import type { Row } from '#server/ledger/rows.ts'
import { ACTIVE, CALLED_AT, ONLINE } from './runtime-rows.ts'

/** Of those that were considered, so many are kept. */
const KEPT = 50

export type Chosen = { workerId: string | null; selection: SelectionView }
/** `fetches`: a node that asks by itself; otherwise those that can be called. */
export type Among = 'called' | 'fetching' | 'any'

type Named = Candidate & {
  name: string
  isCalled: boolean
  lastHeartbeatAt: number | null
  until: number | null
}

/** The workers as they were at one moment of the database's clock: enough to choose for many tasks, each of whose leases is checked again as it is made. */
export type Look = { workers: readonly Named[]; now: number }

export const chooseWorker = async (db: Db, wanted: Wanted, among: Among): Promise<Chosen> =>
  chooseAmong(await lookAtWorkers(db, wanted.contextId), wanted, among)

/** Whoever fetches is no candidate to be called, but reason enough to leave out the worker that lost the task. */
export function chooseAmong({ workers: everybody, now }: Look, wanted: Wanted, among: Among): Chosen {
  const isOpen = ({ isCalled }: Named) => among !== 'called' || isCalled
  const workers = everybody.filter(isOpen)
  const elsewhere = everybody.filter((worker) => !isOpen(worker))
  const chosen = selectWorker(workers, { ...wanted, elsewhere }, now)
  return { workerId: chosen.chosen, selection: explained(chosen, workers, now) }
}

/** The same look after one of its workers got a task. */
export const withTask = ({ workers, now }: Look, workerId: string, contextId: string): Look => ({
  workers: workers.map((worker) =>
    worker.workerId === workerId
      ? { ...worker, activeLeases: worker.activeLeases + 1, contexts: [...worker.contexts, contextId] }
      : worker,
  ),
  now,
})

/** Times in epoch milliseconds: of a thousand workers they are read faster as numbers than as dates. */
type Found = Row<
  'worker_node',
  'worker_id' | 'name' | 'can_run' | 'max_concurrency' | 'active_leases' | 'labels'
> & {
  is_called: boolean
  online: boolean
  drained: boolean
  contexts: string[] | null
  breaker: Candidate['breaker']
  heartbeat_ms: number | null
  limited_ms: number | null
  open_ms: number | null
  now_ms: number
}

const inMs = (time: Sql): Sql => sql`floor(extract(epoch FROM ${time}) * 1000)::float8`

/** @param contextId the only context that is asked for; without one all contexts of active leases are read */
export async function lookAtWorkers(db: Db, contextId: string | null): Promise<Look> {
  // A text of its own for each, so that PostgreSQL keeps one plan for it.
  const ofContext = contextId === null ? sql`true` : sql`l.context_id = ${contextId}`
  // One whose cool-down is over counts as half open, whether or not the loop has been by.
  const { rows } = await db.query<Found>(
    prepared(sql`SELECT w.worker_id, w.name, w.can_run, w.max_concurrency, w.active_leases, w.labels, w.drained_at IS NOT NULL AS drained,
      (${CALLED_AT}) IS NOT NULL AS is_called, (${ONLINE}) AS online, s.contexts,
      CASE WHEN b.state = 'open' AND b.open_until <= clock_timestamp() THEN 'half_open' ELSE coalesce(b.state, 'closed') END AS breaker,
      ${inMs(sql`w.last_heartbeat_at`)} AS heartbeat_ms, ${inMs(sql`w.rate_limited_until`)} AS limited_ms, ${inMs(sql`b.open_until`)} AS open_ms,
      ${inMs(sql`statement_timestamp()`)} AS now_ms
    FROM worker_node w LEFT JOIN worker_breaker b ON b.worker_id = w.worker_id
      LEFT JOIN (SELECT l.worker_id, array_agg(DISTINCT l.context_id) AS contexts FROM task_lease l
        WHERE l.status = ${ACTIVE} AND ${ofContext} GROUP BY l.worker_id) s ON s.worker_id = w.worker_id
    WHERE w.removed_at IS NULL`),
  )
  const workers = rows.map((row) => ({
    workerId: row.worker_id,
    name: row.name,
    isCalled: row.is_called,
    online: row.online,
    canRun: row.can_run,
    maxConcurrency: row.max_concurrency,
    activeLeases: row.active_leases,
    contexts: row.contexts ?? [],
    labels: row.labels,
    drained: row.drained,
    breaker: row.breaker,
    rateLimitedUntil: row.limited_ms,
    lastHeartbeat: row.heartbeat_ms ?? 0,
    lastHeartbeatAt: row.heartbeat_ms,
    until: row.breaker === 'open' ? row.open_ms : null,
  }))
  return { workers, now: rows[0]?.now_ms ?? Date.now() }
}

function explained(chosen: Selection | NoWorker, workers: readonly Named[], now: number): SelectionView {
  const byId = new Map(workers.map((worker) => [worker.workerId, worker]))
  const describedAs = ({ workerId, verdict, reason }: Considered) => {
    const worker = byId.get(workerId) as Named
    return {
      ...{ worker_id: workerId, name: worker.name, verdict, reason },
      free_slots: Math.max(0, worker.maxConcurrency - worker.activeLeases),
      last_heartbeat: worker.lastHeartbeatAt,
      until:
        reason === 'rate_limited' ? worker.rateLimitedUntil : reason === 'breaker_open' ? worker.until : null,
    }
  }
  return {
    rule: chosen.rule,
    chosen: chosen.chosen,
    considered: chosen.considered.slice(0, KEPT).map(describedAs),
    filtered: chosen.rule === null ? chosen.filtered : countsOf(chosen.considered),
    at: now,
  }
}

function countsOf(considered: readonly Considered[]): SelectionView['filtered'] {
  const counts: Record<string, number> = {}
  for (const { verdict, reason } of considered)
    if (verdict === 'filtered') counts[reason] = (counts[reason] ?? 0) + 1
  return counts
}
