import sql from 'sql-template-tag'
import { describe, expect, it } from 'vitest'
import { type JobState, jobMachine } from '#domain/job/job.machine.ts'
import { drawWalks, runInPairs, takeSteps } from './testing/model-walks.ts'
import { type Command, KINDS, Walk } from './testing/queue-model.ts'
import { addAgent, openRoom, type Room } from './testing/queue-room.ts'

/** Both can be set, and so can the seed that a failure prints: 8 walks are the whole programme, 400 a night's. */
const WALKS = Number(process.env.MODEL_WALKS ?? 3)
const COMMANDS = Number(process.env.MODEL_COMMANDS ?? 2_500)
const SEED = Number(process.env.MODEL_SEED ?? 20_261_121)

/** Operators are rare, or no job would live long enough to use up its retries. */
const weight: Partial<Record<Command['kind'], number>> = {
  submit: 2,
  claim: 12,
  ready: 12,
  answer: 3,
  context_timeout: 4,
  nlm_busy: 9,
  expire: 6,
  reap: 6,
  'backoff elapses': 12,
  release: 8,
  'mark dead': 6,
}
/** Sums over the whole ledger at the end of a walk. */
async function checkLedger(room: Room, walk: Walk): Promise<void> {
  const { rows } = await room.db.query<{
    broken: number
    twice: number
    apart: number
    artifacts: number
  }>(sql`SELECT
    (SELECT count(*) FROM (SELECT from_status, lag(to_status) OVER (PARTITION BY resource_id ORDER BY id) AS before FROM event
      WHERE resource_type = 'job' AND outcome = 'ok') h WHERE from_status IS DISTINCT FROM before) AS broken,
    (SELECT count(*) FROM (SELECT 1 FROM event WHERE transition = 'commit' GROUP BY resource_id HAVING count(*) > 1) t) AS twice,
    (SELECT count(*) FROM job j FULL JOIN artifact a ON a.artifact_id = j.artifact_id WHERE (j.status = 'COMPLETE') IS DISTINCT FROM (a.artifact_id IS NOT NULL)) AS apart,
    (SELECT count(*) FROM artifact) AS artifacts`)
  const complete = walk.jobs.filter((j) => j.state === 'COMPLETE').length
  expect(rows[0]).toEqual({ broken: 0, twice: 0, apart: 0, artifacts: complete })
  expect(walk.jobs.every((j) => j.commits <= 1)).toBe(true)
}

async function run(commands: Command[], n: number): Promise<Set<JobState>> {
  const room = await openRoom(4)
  try {
    const agents = await Promise.all([1, 2, 3].map((a) => addAgent(room.db, `agent-${a}`)))
    const walk = new Walk(room, agents)
    await takeSteps(commands, (command) => walk.step(command), `seed ${SEED}, walk ${n}`)
    await checkLedger(room, walk)
    return walk.reached
  } finally {
    await room.close()
  }
}

describe('the queue walks like its model', () => {
  it(`over ${WALKS * COMMANDS} commands`, { timeout: 900_000 }, async () => {
    const walks = drawWalks(KINDS, weight, { walks: WALKS, commands: COMMANDS, seed: SEED })
    const reached = await runInPairs(walks, run)
    expect(reached).toEqual(expect.arrayContaining(jobMachine.states.filter((s) => s !== 'ARTIFACT_WRITE')))
  })
})
