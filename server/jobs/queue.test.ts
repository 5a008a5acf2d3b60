import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { readyContexts } from './backend-call.ts'
import { endOverduePhases, heartbeatLeases, reapLeases, transferLeases } from './leases.ts'
import { admitJobs, claimJobs, refuseJobs } from './queue.ts'
import { backOffJob, failPermanently, markExhaustedDead, releaseJobs } from './retry.ts'
import { KNOWN_JOB_TYPES, submitJob } from './submit-job.ts'
import {
  addAgent,
  addJob,
  call,
  complete,
  endBackoff,
  eventsOf,
  expireLeases,
  hold,
  jobLine,
  OWNER,
  openRoom,
  type Room,
} from './testing/queue-room.ts'

let room: Room
beforeAll(async () => {
  room = await openRoom()
})
afterAll(() => room?.close())

describe('submitting', () => {
  const job = (agent_slug: string, job_id: string, query = 'Why?') =>
    ({ job_id, job_type: 'RESEARCH', agent_slug, payload: { query } }) as const

  it('gives one job for fifty parallel posts of one id, and 409 for another payload', async () => {
    const agent = await addAgent(room.db, 'once')
    const id = randomUUID()
    const made = await Promise.all(
      Array.from({ length: 50 }, () => submitJob(room.db, job(agent, id), OWNER)),
    )
    expect(made.every((m) => m.ok)).toBe(true)
    expect(made.filter((m) => m.ok && m.value.created)).toHaveLength(1)
    const other = await submitJob(room.db, job(agent, id, 'Something else?'), OWNER)
    expect(other).toMatchObject({ ok: false, refusal: { code: 'IDEMPOTENCY_MISMATCH' } })
    const elsewhere = await submitJob(room.db, job(await addAgent(room.db, 'elsewhere'), id), OWNER)
    expect(elsewhere).toMatchObject({ ok: false, refusal: { code: 'IDEMPOTENCY_MISMATCH' } })
    expect(await eventsOf(room.db, id)).toHaveLength(1)
  })

  it('leaves nothing behind when its cause is rolled back', async () => {
    const agent = await addAgent(room.db, 'rolled-back')
    const id = randomUUID()
    await expect(
      room.database.transaction(async (tx) => {
        await submitJob(tx, job(agent, id), OWNER)
        throw new Error('the cause failed')
      }),
    ).rejects.toThrow('the cause failed')
    expect(await jobLine(room.db, id)).toBeUndefined()
    expect(await eventsOf(room.db, id)).toEqual([])
  })

  it.each([
    ['an empty question', { query: '  ' }, 'VALIDATION_FAILED'],
    ['an unknown field', { query: 'x', more: 1 }, 'VALIDATION_FAILED'],
    ['a NUL', { query: 'a\0b' }, 'VALIDATION_FAILED'],
    ['half a surrogate pair', { query: 'a\ud800' }, 'VALIDATION_FAILED'],
    ['a question above 50 KB', { query: 'x'.repeat(50 * 1024 + 1) }, 'VALIDATION_FAILED'],
    [
      'a payload above 90 KB',
      { query: 'x'.repeat(40_000), sources: [{ ref: 'a', text: 'y'.repeat(60_000) }] },
      'PAYLOAD_TOO_LARGE',
    ],
  ])('refuses %s and writes nothing', async (_what, payload, code) => {
    const id = randomUUID()
    const refused = await submitJob(
      room.db,
      { job_id: id, job_type: 'RESEARCH', agent_slug: 'once', payload },
      OWNER,
    )
    expect(refused).toMatchObject({ ok: false, refusal: { code } })
    expect(await jobLine(room.db, id)).toBeUndefined()
  })

  it('takes the largest payload that the ledger can hold', async () => {
    const agent = await addAgent(room.db, 'large')
    const sources = Array.from({ length: 40 }, (_, n) => ({ ref: `n${n}`, text: 'ї'.repeat(1_000) }))
    const made = await submitJob(
      room.db,
      { job_type: 'RESEARCH', agent_slug: agent, payload: { query: 'q', sources } },
      OWNER,
    )
    expect(made.ok).toBe(true)
  })
})

describe('admission', () => {
  it('keeps the jobs of a paused agent PENDING, and refuses those that can never run', async () => {
    const id = await addJob(room.db)
    await room.db.query(
      sql`UPDATE agent SET status = 'paused' WHERE slug = (SELECT agent_slug FROM job WHERE job_id = ${id})`,
    )
    const gone = await addJob(room.db, { agent: 'nobody' })
    const strange = await addJob(room.db)
    await room.db.query(sql`UPDATE job SET job_type = 'BRIEF' WHERE job_id = ${strange}`)
    await refuseJobs(room.db, KNOWN_JOB_TYPES)
    await admitJobs(room.db, 1_000)
    expect((await jobLine(room.db, id)).status).toBe('PENDING')
    for (const refused of [gone, strange]) {
      expect(await jobLine(room.db, refused)).toMatchObject({ status: 'FAILED', failure_kind: 'invalid' })
    }
    expect((await jobLine(room.db, gone)).error?.code).toBe('AGENT_NOT_ACTIVE')
    expect((await jobLine(room.db, strange)).error?.code).toBe('VALIDATION_ERROR')
  })
})

describe('lanes', () => {
  it('lets sixteen claimers take one lane exactly once', async () => {
    const agent = await addAgent(room.db, 'one-lane')
    const ids = await Promise.all(Array.from({ length: 20 }, () => addJob(room.db, { agent })))
    await admitJobs(room.db, 1_000)
    for (let round = 0; round < 5; round++) {
      const claims = await Promise.all(
        Array.from({ length: 16 }, (_, n) => claimJobs(room, { holder: `w${n}`, limit: 5 })),
      )
      const mine = claims.flat().filter((job) => ids.includes(job.job_id))
      expect(mine).toHaveLength(1)
      const [job] = mine
      if (!job) return
      await readyContexts(room.db, [
        {
          job_id: job.job_id,
          fence: job.fence,
          context_key: 'k',
          context_sha256: 's',
          write_token_hash: 'h',
        },
      ])
      expect(await complete(room, job)).toBe(true)
    }
  })

  it('refuses a second active job of an agent whoever writes', async () => {
    const agent = await addAgent(room.db, 'two-at-once')
    const [a, b] = [await addJob(room.db, { agent }), await addJob(room.db, { agent })]
    await hold(room, a)
    const second = room.db.query(
      sql`UPDATE job SET status = 'CONTEXT_ASSEMBLY', lease_expires_at = now() WHERE job_id = ${b}`,
    )
    await expect(second).rejects.toMatchObject({ code: '23505' })
  })

  it('is fair: high priority, then age, and one head an agent', async () => {
    const [x, y] = [await addAgent(room.db, 'fair-x'), await addAgent(room.db, 'fair-y')]
    const first = await addJob(room.db, { agent: x })
    // Two of one millisecond are of one age.
    await room.db.query(
      sql`UPDATE job SET created_at = created_at - interval '1 second' WHERE job_id = ${first}`,
    )
    await addJob(room.db, { agent: x })
    const third = await addJob(room.db, { agent: y })
    const claimed = (await claimJobs(room, { holder: 'w', limit: 1_000 })).map((j) => j.job_id)
    expect(claimed).toEqual(expect.arrayContaining([first, third]))
    const again = await claimJobs(room, { holder: 'w', limit: 1_000 })
    expect(again.filter((j) => [x, y].includes(j.agent_slug))).toEqual([])
  })
})

describe('fences', () => {
  it('refuses every write of a holder that was reaped', async () => {
    const id = await addJob(room.db)
    const old = await call(room, id, 'h', 'reaped')
    await expireLeases(room.db, [id])
    await reapLeases(room)
    expect((await jobLine(room.db, id)).status).toBe('RETRY_BACKOFF')
    await endBackoff(room.db, id)
    await releaseJobs(room.db)
    const now = await call(room, id, 'h2', 'worker-2')
    expect(now.fence).toBeGreaterThan(old.fence + 1)
    const before = await jobLine(room.db, id)
    expect(await complete(room, old)).toBe(false)
    expect(await backOffJob(room, 'nlm_busy', old, { code: 'RATE_LIMIT', message: 'x' })).toBeNull()
    expect(await failPermanently(room.db, old, { code: 'VALIDATION_ERROR', message: 'x' })).toBe(false)
    expect(await heartbeatLeases(room.db, 'reaped')).toBe(0)
    expect(await jobLine(room.db, id)).toEqual(before)
    expect(await complete(room, now)).toBe(true)
  })

  it('never falls, whoever writes', async () => {
    const id = await addJob(room.db)
    await hold(room, id)
    await expect(
      room.db.query(sql`UPDATE job SET fence = fence - 1 WHERE job_id = ${id}`),
    ).rejects.toMatchObject({ code: '23514' })
  })

  it('commits of a batch those that still hold their jobs, and only those', async () => {
    const ids = await Promise.all(Array.from({ length: 6 }, () => addJob(room.db)))
    const jobs = await claimJobs(room, { holder: 'w', limit: 1_000 })
    const mine = jobs.filter((j) => ids.includes(j.job_id))
    const contexts = mine.map((j, n) => ({
      job_id: j.job_id,
      fence: n % 2 ? j.fence : j.fence - 1,
      context_key: 'k',
      context_sha256: 's',
      write_token_hash: 'h',
    }))
    expect(await readyContexts(room.db, contexts)).toEqual(mine.map((_, n) => n % 2 === 1))
  })
})

describe('retries', () => {
  it('backs off 15, 30 and 60 s, then FAILED, then DEAD: one execution and three retries', async () => {
    const id = await addJob(room.db)
    for (let execution = 0; execution < 4; execution++) {
      const job = await call(room, id)
      expect(job.attempt).toBe(execution)
      const state = await backOffJob(room, 'nlm_busy', job, { code: 'NLM_UNAVAILABLE', message: 'gone' })
      expect(state).toBe(execution < 3 ? 'RETRY_BACKOFF' : 'FAILED')
      await endBackoff(room.db, id)
      await releaseJobs(room.db)
      expect((await jobLine(room.db, id)).status).toBe(execution < 3 ? 'QUEUED' : 'FAILED')
    }
    expect(await jobLine(room.db, id)).toMatchObject({ status: 'FAILED', failure_kind: 'exhausted' })
    await markExhaustedDead(room.db)
    expect((await jobLine(room.db, id)).status).toBe('DEAD')
    const events = await eventsOf(room.db, id)
    const delays = events.filter((e) => e.transition === 'nlm_busy').map((e) => e.details.backoff_seconds)
    expect(delays).toEqual([15, 30, 60, undefined])
  })

  it('does not end a backoff before its time', async () => {
    const id = await addJob(room.db)
    await backOffJob(room, 'nlm_busy', await call(room, id), {
      code: 'RATE_LIMIT',
      message: 'slow down',
      retryAfter: 300,
    })
    await releaseJobs(room.db)
    expect((await jobLine(room.db, id)).status).toBe('RETRY_BACKOFF')
  })

  it('lengthens a backoff by Retry-After up to 300 s, and never shortens it', async () => {
    const delay = async (retryAfter: number) => {
      const id = await addJob(room.db)
      const job = await call(room, id)
      await backOffJob(room, 'nlm_busy', job, { code: 'RATE_LIMIT', message: 'slow down', retryAfter })
      return (await eventsOf(room.db, id)).at(-1)?.details.backoff_seconds
    }
    expect([await delay(1), await delay(100), await delay(4_000)]).toEqual([15, 100, 300])
  })

  it('leaves an invalid job FAILED for ever', async () => {
    const id = await addJob(room.db)
    const job = await call(room, id)
    expect(await failPermanently(room.db, job, { code: 'VALIDATION_ERROR', message: '422' })).toBe(true)
    await markExhaustedDead(room.db)
    await releaseJobs(room.db)
    expect(await jobLine(room.db, id)).toMatchObject({
      status: 'FAILED',
      failure_kind: 'invalid',
      error: { code: 'VALIDATION_ERROR', phase: 'NOTEBOOKLM_CALL' },
    })
  })
})

describe('leases', () => {
  it('are renewed by their holder, and not once they have passed', async () => {
    const id = await addJob(room.db)
    await hold(room, id, 'keeper')
    await room.db.query(
      sql`UPDATE job SET lease_expires_at = clock_timestamp() + interval '40 seconds' WHERE job_id = ${id}`,
    )
    await heartbeatLeases(room.db, 'keeper')
    const { rows } = await room.db.query<{ left: number }>(
      sql`SELECT extract(epoch FROM lease_expires_at - clock_timestamp())::float AS left FROM job WHERE job_id = ${id}`,
    )
    expect(rows[0]?.left).toBeGreaterThan(45)
    await expireLeases(room.db, [id])
    expect(await heartbeatLeases(room.db, 'keeper')).toBe(0)
    await reapLeases(room)
    expect(await jobLine(room.db, id)).toMatchObject({
      status: 'RETRY_BACKOFF',
      error: { code: 'LEASE_LOST' },
    })
  })

  it.each(['as claimed', 'reversed'])('are renewed beside a transition of many jobs, %s', async (order) => {
    const holder = `busy, ${order}`
    for (let n = 0; n < 3; n++) await addJob(room.db)
    const jobs = await claimJobs(room, { holder, limit: 1_000 })
    const rest = { context_key: 'k', context_sha256: 's', write_token_hash: 'h' }
    const contexts = jobs.map(({ job_id, fence }) => ({ job_id, fence, ...rest }))
    const middle = jobs[Math.floor(jobs.length / 2)]?.job_id ?? ''
    const waiting = (count: number) => () =>
      room.db
        .query(
          sql`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
        )
        .then(({ rowCount }) => rowCount === count)
    const both = await room.database.transaction(async (tx) => {
      await tx.query(sql`SELECT FROM job WHERE job_id = ${middle} FOR UPDATE`)
      const moved = room.database.transaction(async (own) => {
        // As in a large table: the rows are found one after the other, in the order in which they are named.
        await own.query(sql`SET LOCAL enable_hashjoin = off`)
        await own.query(sql`SET LOCAL enable_mergejoin = off`)
        await own.query(sql`SET LOCAL enable_seqscan = off`)
        return readyContexts(own, order === 'reversed' ? contexts.toReversed() : contexts)
      })
      await waitUntil(waiting(1), { what: 'the transition waits' })
      const renewed = heartbeatLeases(room.db, holder)
      await waitUntil(waiting(2), { what: 'the heartbeat waits' })
      return () => Promise.allSettled([moved, renewed])
    })
    expect(await both()).toEqual([
      { status: 'fulfilled', value: jobs.map(() => true) },
      { status: 'fulfilled', value: jobs.length },
    ])
  })

  it('are reaped once by many reapers', async () => {
    const ids = await Promise.all(Array.from({ length: 30 }, () => addJob(room.db)))
    await claimJobs(room, { holder: 'w', limit: 1_000 })
    await expireLeases(room.db, ids)
    await Promise.all(Array.from({ length: 6 }, () => reapLeases(room)))
    for (const id of ids) {
      const lost = (await eventsOf(room.db, id)).filter((e) => e.transition === 'lease_lost')
      expect(lost).toHaveLength(1)
    }
  })

  it('bring a poison job to DEAD after its attempts, and its lane is free again', async () => {
    const agent = await addAgent(room.db, 'poisoned')
    const id = await addJob(room.db, { agent })
    for (let crash = 0; crash < 4; crash++) {
      await hold(room, id)
      await expireLeases(room.db, [id])
      await reapLeases(room)
      await endBackoff(room.db, id)
      await releaseJobs(room.db)
    }
    await markExhaustedDead(room.db)
    expect(await jobLine(room.db, id)).toMatchObject({
      status: 'DEAD',
      attempt: 3,
      error: { code: 'LEASE_LOST' },
    })
    const next = await addJob(room.db, { agent })
    expect((await hold(room, next)).job_id).toBe(next)
  })

  it('of calls that wait are given away by a worker that stops and taken by another', async () => {
    const id = await addJob(room.db)
    const job = await call(room, id, 'h', 'leaving')
    await transferLeases(room.db, 'leaving')
    await heartbeatLeases(room.db, 'staying')
    expect(await jobLine(room.db, id)).toMatchObject({ lease_holder: 'staying', fence: job.fence })
    expect(await complete(room, job)).toBe(true)
  })

  it('do not help a phase over its limit: J6 and J8', async () => {
    const late = await addJob(room.db)
    await hold(room, late, 'slow')
    const silent = await addJob(room.db)
    await call(room, silent, 'h', 'slow')
    await room.db.query(
      sql`UPDATE job SET phase_deadline = clock_timestamp() - interval '1 second' WHERE lease_holder = 'slow'`,
    )
    await endOverduePhases(room, 'another')
    expect((await jobLine(room.db, late)).status).toBe('CONTEXT_ASSEMBLY')
    await endOverduePhases(room, 'slow')
    expect((await jobLine(room.db, late)).error?.code).toBe('CONTEXT_TIMEOUT')
    expect((await jobLine(room.db, silent)).error?.code).toBe('NLM_TIMEOUT')
  })
})

describe('asking the backend before reaping a call', () => {
  it('takes an error that it reports as the reason', async () => {
    const bad = await addJob(room.db)
    await call(room, bad)
    const lost = await addJob(room.db)
    await call(room, lost)
    await expireLeases(room.db, [bad, lost])
    await reapLeases(room, {
      job: async (id) =>
        id === bad
          ? { job_id: id, state: 'ERROR', phase_ms: {}, error: { code: 'VALIDATION_ERROR', message: 'no' } }
          : undefined,
    })
    expect(await jobLine(room.db, bad)).toMatchObject({ status: 'FAILED', failure_kind: 'invalid' })
    expect(await jobLine(room.db, lost)).toMatchObject({
      status: 'RETRY_BACKOFF',
      error: { code: 'LEASE_LOST' },
    })
  })
})
