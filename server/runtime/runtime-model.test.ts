import sql from 'sql-template-tag'
import { describe, expect, it } from 'vitest'
import { type TaskState, taskMachine } from '#domain/task/task.machine.ts'
import { drawWalks, runInPairs, takeSteps } from '#server/jobs/testing/model-walks.ts'
import { openRuntimeRoom, type RuntimeRoom } from './testing/runtime-room.ts'
import { type Command, KINDS, Walk } from './testing/runtime-walk.ts'

/** All can be set, and so can the seed that a failure prints: 8 walks are the whole programme. */
const WALKS = Number(process.env.MODEL_WALKS ?? 2)
const COMMANDS = Number(process.env.MODEL_COMMANDS ?? 2_500)
const SEED = Number(process.env.MODEL_SEED ?? 20_261_128)

/** People and lost workers are rare, or no task would live long enough to use up its attempts. */
const weight: Partial<Record<Command['kind'], number>> = {
  create: 6,
  lease: 12,
  'lease by anybody': 12,
  heartbeat: 6,
  complete: 4,
  fail: 8,
  'rate limit': 3,
  expire: 6,
  reap: 6,
  'delay passes': 12,
  retry: 8,
  'worker heard': 6,
  'breaker cools': 8,
  'rest ends': 8,
}
/** Sums over the whole ledger at the end of a walk. */
async function checkLedger(room: RuntimeRoom, walk: Walk): Promise<void> {
  const { rows } = await room.db.query<Record<string, number>>(sql`SELECT
    (SELECT count(*) FROM (SELECT from_status, lag(to_status) OVER (PARTITION BY resource_id ORDER BY id) AS before FROM event
      WHERE resource_type = 'task' AND outcome = 'ok') h WHERE from_status IS DISTINCT FROM before) AS broken,
    (SELECT count(*) FROM llm_task t FULL JOIN artifact a ON a.task_id = t.task_id WHERE (t.status = 'completed') IS DISTINCT FROM (a.artifact_id IS NOT NULL)) AS apart,
    (SELECT count(*) FROM llm_task t WHERE (t.status IN ('leased', 'running')) IS DISTINCT FROM
      EXISTS (SELECT FROM task_lease l WHERE l.task_id = t.task_id AND l.status = 'active' AND l.fence = t.fence)) AS unheld,
    (SELECT count(*) FROM task_attempt a JOIN task_lease l USING (lease_id) WHERE (a.outcome IS NULL) IS DISTINCT FROM (l.status = 'active')) AS untold,
    (SELECT count(*) FROM artifact) AS artifacts`)
  const completed = walk.tasks.filter((task) => task.state === 'completed').length
  expect(rows[0]).toEqual({ broken: 0, apart: 0, unheld: 0, untold: 0, artifacts: completed })
}

async function run(commands: Command[], n: number): Promise<Set<TaskState>> {
  const room = await openRuntimeRoom()
  try {
    const walk = new Walk(room)
    await walk.open()
    await takeSteps(commands, (command) => walk.step(command), `seed ${SEED}, walk ${n}`)
    await checkLedger(room, walk)
    return walk.reached
  } finally {
    await room.close()
  }
}

describe('tasks and workers walk like their model', () => {
  it(`over ${WALKS * COMMANDS} commands`, { timeout: 900_000 }, async () => {
    const walks = drawWalks(KINDS, weight, { walks: WALKS, commands: COMMANDS, seed: SEED })
    const reached = await runInPairs(walks, run)
    expect(reached).toEqual(expect.arrayContaining([...taskMachine.states]))
  })
})
