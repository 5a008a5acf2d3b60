import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jobReplayInput } from '#contracts/job.contract.ts'
import { type Caller, NLM_BACKEND } from '#domain/authority/caller.ts'
import { getJob } from './get-job.query.ts'
import { failJob, requeueJob } from './operate-job.ts'
import { admitJobs } from './queue.ts'
import { replayJob } from './replay-job.ts'
import {
  ADDRESSES,
  addAgent,
  addJob,
  call,
  complete,
  hold,
  OPERATOR,
  OWNER,
  openRoom,
  type Room,
} from './testing/queue-room.ts'

let room: Room
beforeAll(async () => {
  room = await openRoom()
})
afterAll(() => room?.close())

const REASON = 'the sources have changed'
const replay = (job_id: string, more: object = {}, caller: Caller = OPERATOR) =>
  replayJob(room.web, jobReplayInput.parse({ job_id, reason: REASON, ...more }), caller)
const made = async (job_id: string, more: object = {}, caller: Caller = OPERATOR) => {
  const answer = await replay(job_id, more, caller)
  if (!answer.ok) throw new Error(answer.refusal.message)
  return answer.value.job_id
}
const detail = async (id: string) => {
  const found = await getJob({ ...room.web, env: ADDRESSES }, { job_id: id }, OWNER)
  if (!found.ok) throw new Error(found.refusal.message)
  return found.value
}
const done = async (more: Parameters<typeof addJob>[1] = {}) => {
  const id = await addJob(room.db, more)
  expect(await complete(room, await call(room, id))).toBe(true)
  return id
}
const failed = async (more: Parameters<typeof addJob>[1] = {}) => {
  const id = await addJob(room.db, more)
  await failJob(room.web, { job_id: id, reason: REASON }, OPERATOR)
  return id
}
const replayEvents = async (id: string) => {
  const { rows } = await room.db.query(sql`SELECT actor, reason, outcome, error_code, details FROM event
    WHERE name = 'job.replayed' AND resource_id = ${id} ORDER BY id`)
  return rows
}
const jobsOf = async (agent: string) => {
  const { rows } = await room.db.query<{ n: number }>(
    sql`SELECT count(*)::int AS n FROM job WHERE agent_slug = ${agent}`,
  )
  return rows[0]?.n
}

describe('a job that has ended', () => {
  it.each([
    ['COMPLETE', done],
    ['FAILED', failed],
    [
      'DEAD',
      async (more: object) => {
        const id = await failed(more)
        await room.db.query(sql`UPDATE job SET status = 'DEAD' WHERE job_id = ${id}`)
        return id
      },
    ],
  ] as const)('%s is done once more by a new job, and stays as it is', async (status, end) => {
    const id = await end({ max_attempts: 2, query: 'Which trees are grafted?' })
    const before = await detail(id)
    const again = await made(id)
    expect(await detail(again)).toMatchObject({
      status: 'PENDING',
      replay_of: id,
      priority: 'high',
      requested_by: OPERATOR.identity,
      run_id: null,
      inbox_entry_id: null,
      agent_slug: before.agent_slug,
      payload: before.payload,
      payload_digest: before.payload_digest,
      attempt: 0,
      max_attempts: 2,
      history: [{ event: 'job.created', actor: OPERATOR.identity, reason: REASON }],
    })
    const after = await detail(id)
    expect(after).toMatchObject({
      status,
      artifact_id: before.artifact_id,
      replays: [{ job_id: again, status: 'PENDING' }],
    })
    expect(await replayEvents(id)).toEqual([
      {
        actor: OPERATOR.identity,
        reason: REASON,
        outcome: 'ok',
        error_code: null,
        details: { replay: again },
      },
    ])
  })

  it('goes ahead of what waits for the same agent, and writes an artifact of its own', async () => {
    const id = await done()
    const { agent_slug, artifact_id } = await detail(id)
    const waiting = await addJob(room.db, { agent: agent_slug })
    await admitJobs(room.db, 1_000)
    const again = await made(id)
    await admitJobs(room.db, 1_000)
    await expect(hold(room, waiting)).rejects.toThrow('was not claimed')
    expect((await detail(again)).status).toBe('CONTEXT_ASSEMBLY')
    expect((await detail(again)).artifact_id).not.toBe(artifact_id)
  })

  it('takes another payload, which is checked', async () => {
    const id = await done()
    const again = await made(id, { payload: { query: 'And which are not?' } })
    expect(await detail(again)).toMatchObject({ title: 'And which are not?', replay_of: id })
    const agent = (await detail(id)).agent_slug
    for (const payload of [{}, { query: 1 }, { query: 'x', odd: true }])
      expect(await replay(id, { payload })).toMatchObject({
        ok: false,
        refusal: { code: 'VALIDATION_FAILED' },
      })
    expect(await jobsOf(agent)).toBe(2)
  })

  it('is one replay, however often it is sent under one id', async () => {
    const id = await done()
    const replay_id = randomUUID()
    const sent = await Promise.all(
      Array.from({ length: 8 }, () =>
        room.web.database.transaction((tx) =>
          replayJob({ db: tx }, { job_id: id, reason: REASON, replay_id }, OPERATOR),
        ),
      ),
    )
    expect(new Set(sent.map((one) => one.ok && one.value.job_id))).toEqual(new Set([replay_id]))
    expect(await replayEvents(id)).toHaveLength(1)
    const other = await done()
    expect(await replay(other, { replay_id })).toMatchObject({ refusal: { code: 'IDEMPOTENCY_MISMATCH' } })
    expect(await replay(id, { replay_id, payload: { query: 'x' } })).toMatchObject({
      refusal: { code: 'IDEMPOTENCY_MISMATCH' },
    })
    expect(await replayEvents(other)).toEqual([])
  })
})

describe('it is refused', () => {
  it('before the end, and recorded', async () => {
    const id = await addJob(room.db)
    const { agent_slug } = await detail(id)
    for (const step of [() => admitJobs(room.db, 1_000), () => hold(room, id)]) {
      expect(await replay(id)).toMatchObject({
        refusal: { code: 'INVALID_TRANSITION', details: { allowed: ['COMPLETE', 'FAILED', 'DEAD'] } },
      })
      await step()
    }
    expect(await replayEvents(id)).toMatchObject([
      { outcome: 'refused', error_code: 'INVALID_TRANSITION' },
      { outcome: 'refused', error_code: 'INVALID_TRANSITION' },
    ])
    expect(await jobsOf(agent_slug)).toBe(1)
  })

  it('for an archived agent, for nobody’s job and for whoever may not operate jobs', async () => {
    const agent = await addAgent(room.db, `a-${randomUUID().slice(0, 8)}`)
    const id = await failed({ agent })
    await room.db.query(sql`UPDATE agent SET status = 'archived' WHERE slug = ${agent}`)
    expect(await replay(id)).toMatchObject({ refusal: { code: 'AGENT_NOT_ACTIVE' } })
    expect(await replay(randomUUID())).toMatchObject({ refusal: { code: 'NOT_FOUND' } })
    const guest: Caller = { role: 'guest', identity: 'guest:1', via: 'console' }
    expect(await replay(id, {}, guest)).toMatchObject({ refusal: { code: 'FORBIDDEN' } })
    expect(await replay(id, {}, NLM_BACKEND)).toMatchObject({ refusal: { code: 'AUTHORITY_VIOLATION' } })
    expect(await jobsOf(agent)).toBe(1)
  })

  it('waits for a requeue that is under way, and then finds the job in the queue', async () => {
    const id = await failed()
    const requeue = room.web.database.transaction(async (tx) => {
      await requeueJob({ db: tx }, { job_id: id, reason: REASON }, OPERATOR)
      const late = replay(id)
      await waitForLock()
      return { late }
    })
    const { late } = await requeue
    expect(await late).toMatchObject({ refusal: { code: 'INVALID_TRANSITION' } })
  })
})

const waitForLock = () =>
  expect
    .poll(async () => {
      const { rowCount } = await room.web.db.query(
        sql`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
      )
      return rowCount
    })
    .toBe(1)
