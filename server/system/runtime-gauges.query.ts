/** SQL: LLM Tasks by status, counted in their index; Worker Nodes that are not removed, with their breakers. */
import sql from 'sql-template-tag'
import { BREAKER_STATES, type BreakerState, CLOSED } from '#domain/task/breaker.rules.ts'
import { taskMachine } from '#domain/task/task.machine.ts'
import type { Db } from '#server/ledger/database.ts'
import { type Reading, reading } from '#server/metrics/render.ts'
import { ACTIVE, ONLINE } from '#server/runtime/runtime-rows.ts'

const TASK_CAP = 100_000
const WORKER_CAP = 10_000
const NODE_STATES = ['online', 'offline', 'drained'] as const

/** How the runtime stands [system#metrics]. */
export const runtimeReadings = async (db: Db): Promise<Reading[]> => [
  ...(await taskReadings(db)),
  ...(await nodeReadings(db)),
]

/** Leases of tasks that have not run out. */
export const TASK_LEASES = sql`(SELECT count(*) FROM task_lease l WHERE l.status = ${ACTIVE} AND l.expires_at > clock_timestamp())`

async function taskReadings(db: Db): Promise<Reading[]> {
  const { rows } = await db.query<{ status: string; n: number }>(sql`SELECT w.status, c.n
    FROM unnest(${[...taskMachine.states]}::text[]) AS w(status), LATERAL (SELECT count(*) AS n
      FROM (SELECT 1 FROM llm_task t WHERE t.status = w.status LIMIT ${TASK_CAP}) counted) c`)
  return rows.map(({ status, n }) => reading('garden_tasks', { status }, n))
}

type Node = { status: (typeof NODE_STATES)[number]; breaker: BreakerState; n: number }

/** A drained one gets nothing, whether it is heard or not. */
async function nodeReadings(db: Db): Promise<Reading[]> {
  const { rows } =
    await db.query<Node>(sql`SELECT n.status, coalesce(b.state, ${CLOSED.state}) AS breaker, count(*) AS n
    FROM (SELECT w.worker_id, CASE WHEN w.drained_at IS NOT NULL THEN 'drained' WHEN ${ONLINE} THEN 'online' ELSE 'offline' END AS status
      FROM worker_node w WHERE w.removed_at IS NULL ORDER BY w.name LIMIT ${WORKER_CAP}) n
    LEFT JOIN worker_breaker b ON b.worker_id = n.worker_id GROUP BY 1, 2`)
  const sum = (those: (node: Node) => boolean) => rows.filter(those).reduce((all, { n }) => all + n, 0)
  return [
    ...NODE_STATES.map((status) =>
      reading(
        'garden_worker_nodes',
        { status },
        sum((node) => node.status === status),
      ),
    ),
    ...BREAKER_STATES.map((state) =>
      reading(
        'garden_worker_breakers',
        { state },
        sum((node) => node.breaker === state),
      ),
    ),
  ]
}
