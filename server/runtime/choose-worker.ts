/** Which worker a task would get now, and why: what the rules of selection read from the ledger, and their explanation as it is kept. */
import sql from 'sql-template-tag'
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
import { ACTIVE, ONLINE } from './runtime-rows.ts'

/** Of those that were considered, so many are kept. */
const KEPT = 50

export type Chosen = { workerId: string | null; selection: SelectionView }
/** `fetches`: a node that asks by itself; otherwise those that can be called. */
export type Among = 'called' | 'fetching' | 'any'

type Named = Candidate & { name: string; lastHeartbeatAt: number | null; until: number | null }

export async function chooseWorker(db: Db, wanted: Wanted, among: Among): Promise<Chosen> {
  const { workers, now } = await candidates(db, wanted.contextId, among)
  const chosen = selectWorker(workers, wanted, now)
  return { workerId: chosen.chosen, selection: explained(chosen, workers, now) }
}

type Found = Row<
  'worker_node',
  | 'worker_id'
  | 'name'
  | 'can_run'
  | 'max_concurrency'
  | 'active_leases'
  | 'labels'
  | 'last_heartbeat_at'
  | 'drained_at'
  | 'rate_limited_until'
> & {
  online: boolean
  sticky: boolean
  breaker: Candidate['breaker']
  open_until: Date | null
  now: Date
}

async function candidates(
  db: Db,
  contextId: string,
  among: Among,
): Promise<{ workers: Named[]; now: number }> {
  // One whose cool-down is over counts as half open, whether or not the loop has been by.
  const { rows } = await db.query<Found>(
    prepared(sql`SELECT w.worker_id, w.name, w.can_run, w.max_concurrency, w.active_leases, w.labels, w.last_heartbeat_at, w.drained_at, w.rate_limited_until,
      (${ONLINE}) AS online, s.worker_id IS NOT NULL AS sticky,
      CASE WHEN b.state = 'open' AND b.open_until <= clock_timestamp() THEN 'half_open' ELSE coalesce(b.state, 'closed') END AS breaker, b.open_until,
      clock_timestamp() AS now
    FROM worker_node w LEFT JOIN worker_breaker b ON b.worker_id = w.worker_id
      LEFT JOIN (SELECT DISTINCT l.worker_id FROM task_lease l WHERE l.status = ${ACTIVE} AND l.context_id = ${contextId}) s ON s.worker_id = w.worker_id
    WHERE w.removed_at IS NULL AND (${among} <> 'called' OR coalesce(w.corrected_url, w.url) IS NOT NULL)`),
  )
  const workers = rows.map((row) => ({
    workerId: row.worker_id,
    name: row.name,
    online: row.online,
    canRun: row.can_run,
    maxConcurrency: row.max_concurrency,
    activeLeases: row.active_leases,
    contexts: row.sticky ? [contextId] : [],
    labels: row.labels,
    drained: row.drained_at !== null,
    breaker: row.breaker,
    rateLimitedUntil: row.rate_limited_until?.getTime() ?? null,
    lastHeartbeat: row.last_heartbeat_at?.getTime() ?? 0,
    lastHeartbeatAt: row.last_heartbeat_at?.getTime() ?? null,
    until: row.breaker === 'open' ? (row.open_until?.getTime() ?? null) : null,
  }))
  return { workers, now: rows[0]?.now.getTime() ?? Date.now() }
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
