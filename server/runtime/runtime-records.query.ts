/** What the runtime has recorded, by the names of its own wire [runtime#wire]; the audit trail has the events under their own. */
import sql from 'sql-template-tag'
import { EVENT_NAMES } from '#domain/event/event-names.ts'
import type { TaskEvent } from '#domain/task/task.machine.ts'
import type { Db } from '#server/ledger/database.ts'
import { CONTROL_PLANE_SETTING } from './configure-control-plane.ts'
import { msOf } from './runtime-rows.ts'

const PROMOTED = EVENT_NAMES.membridge_selection.promote
const DISPATCH_FAILED = 'dispatch_failed'
const HAND_BACK: TaskEvent = 'hand_back'

/** Events that the wire calls something else than their own name with underscores. */
const ACTIONS: Readonly<Record<string, string>> = {
  'config.changed': 'config_updated',
  'config.tested': 'connection_test',
  'worker.draining': 'worker_drained',
  'worker.resumed': 'worker_updated',
  'worker.address_corrected': 'worker_updated',
  'breaker.opened': 'circuit_opened',
  'breaker.closed': 'circuit_closed',
  'lease.refused': 'lease_write_refused',
  'task.dispatch_unanswered': DISPATCH_FAILED,
  [EVENT_NAMES.llm_task.cancel ?? '']: 'task_canceled',
  [PROMOTED ?? '']: 'leadership_promote',
}

export type RuntimeRecord = {
  id: number
  timestamp: number
  action: string
  entity_type: string
  entity_id: string
  actor: string
  detail: unknown
}

type Recorded = {
  id: number
  at: Date
  name: string
  transition: string | null
  resource_type: string
  resource_id: string
  actor: string
  details: unknown
}

/** The newest first, each kind along its own index: the rest of the events is not looked at. */
export async function listRecords(db: Db, limit: number): Promise<RuntimeRecord[]> {
  const newest = sql`ORDER BY e.id DESC LIMIT ${limit}`
  const { rows } = await db.query<Recorded>(
    sql`WITH newest AS MATERIALIZED (
        (SELECT e.id FROM event e WHERE e.resource_type IN ('task', 'lease', 'worker') ${newest})
        UNION ALL (SELECT e.id FROM event e WHERE e.resource_type = ${CONTROL_PLANE_SETTING.type} AND e.resource_id = ${CONTROL_PLANE_SETTING.id} ${newest})
        UNION ALL (SELECT e.id FROM event e WHERE e.name = ${PROMOTED} ${newest})
      )
      SELECT e.id, e.ts AS at, e.name, e.transition, e.resource_type, e.resource_id, e.actor, e.details
      FROM event e WHERE e.id IN (SELECT n.id FROM newest n ORDER BY n.id DESC LIMIT ${limit}) ORDER BY e.id DESC`,
  )
  return rows.map((row) => ({
    id: row.id,
    timestamp: msOf(row.at),
    action: actionOf(row),
    entity_type: row.resource_type,
    entity_id: row.resource_id,
    actor: row.actor,
    detail: row.details,
  }))
}

/** A task that was handed back was sent to a worker that did not take it. */
function actionOf({ name, transition }: Recorded): string {
  if (transition === HAND_BACK) return DISPATCH_FAILED
  return ACTIONS[name] ?? name.replaceAll('.', '_')
}
