import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jobBulkPreviewInput, jobListInput, jobReason } from '#contracts/job.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { executeBulk } from './execute-bulk.ts'
import { listFailures } from './list-failures.query.ts'
import { listJobs } from './list-jobs.query.ts'
import { cancelJob, cancelJobsOfRun, failJob, requeueJob } from './operate-job.ts'
import { previewBulk } from './preview-bulk.ts'
import { admitJobs } from './queue.ts'
import { backOffJob, releaseJobs } from './retry.ts'
import {
  ADDRESSES,
  addAgent,
  addJob,
  call,
  complete,
  endBackoff,
  eventsOf,
  jobLine,
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

const why = (job_id: string) => ({ job_id, reason: 'because I say so' })
const web = () => ({ ...room.web, env: ADDRESSES })
const list = (input: object) => listJobs(web(), jobListInput.parse(input), OWNER)
const preview = (input: object, caller: Caller = OPERATOR) =>
  previewBulk(web(), jobBulkPreviewInput.parse(input), caller)
const failed = async (agent: string, count: number) => {
  const ids: string[] = []
  for (let n = 0; n < count; n++) {
    const id = await addJob(room.db, { agent })
    await failJob(room.web, why(id), OPERATOR)
    ids.push(id)
  }
  return ids
}

describe('one command on one job', () => {
  it('cancels, keeps the reason and the person, and lets no late write through', async () => {
    const id = await addJob(room.db)
    const leased = await call(room, id)
    const asked: string[] = []
    const nlm = { cancel: async (job: string) => void asked.push(job) }
    expect(await cancelJob(room.web, why(id), OPERATOR, nlm)).toMatchObject({
      ok: true,
      value: { status: 'FAILED' },
    })
    expect(asked).toEqual([id])
    expect(await jobLine(room.db, id)).toMatchObject({ failure_kind: 'cancelled', fence: leased.fence + 1 })
    expect(await complete(room, leased)).toBe(false)
    const { rows } = await room.db.query(
      sql`SELECT actor, actor_role, reason FROM event WHERE name = 'job.cancelled' AND resource_id = ${id}`,
    )
    expect(rows).toEqual([{ actor: OPERATOR.identity, actor_role: 'operator', reason: 'because I say so' }])
  })

  it('takes a job in the state that it has after the wait for it', async () => {
    const id = await addJob(room.db)
    const waits = () =>
      room.db
        .query(
          sql`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
        )
        .then(({ rowCount }) => rowCount === 1)
    const cancelled = await room.database.transaction(async (tx) => {
      await admitJobs(tx, 1_000)
      const waiting = cancelJob(room, why(id), OPERATOR)
      await waitUntil(waits, { what: 'the command waits' })
      return () => waiting
    })
    expect(await cancelled()).toMatchObject({ ok: true, value: { status: 'FAILED' } })
  })

  it('requeues FAILED and DEAD with all their retries, and the history stays', async () => {
    const id = await addJob(room.db, { max_attempts: 1 })
    await backOffJob(room, 'nlm_busy', await call(room, id), { code: 'RATE_LIMIT', message: 'x' })
    await endBackoff(room.db, id)
    await releaseJobs(room.db)
    await failJob(room.web, why(id), OPERATOR)
    expect((await jobLine(room.db, id)).attempt).toBe(1)
    const before = await eventsOf(room.db, id)
    expect(await requeueJob(room.web, why(id), OWNER)).toMatchObject({
      ok: true,
      value: { status: 'QUEUED' },
    })
    expect(await jobLine(room.db, id)).toMatchObject({ attempt: 0, failure_kind: null, error: null })
    expect((await eventsOf(room.db, id)).slice(0, before.length)).toEqual(before)
  })

  it('refuses what the table does not have, says what may be done, and records it', async () => {
    const id = await addJob(room.db)
    await complete(room, await call(room, id))
    for (const command of [cancelJob, failJob, requeueJob]) {
      expect(await command(room.web, why(id), OWNER)).toMatchObject({
        ok: false,
        refusal: { code: 'INVALID_TRANSITION', details: { from: 'COMPLETE', allowed: [] } },
      })
    }
    expect((await eventsOf(room.db, id)).filter((e) => e.outcome === 'refused')).toHaveLength(3)
    expect((await jobLine(room.db, id)).status).toBe('COMPLETE')
  })

  it('does not break into a write that lasts seconds', async () => {
    const id = await addJob(room.db)
    await call(room, id)
    await room.db.query(sql`UPDATE job SET status = 'ARTIFACT_WRITE' WHERE job_id = ${id}`)
    expect(await cancelJob(room.web, why(id), OWNER)).toMatchObject({ refusal: { code: 'JOB_WRITING' } })
  })

  it('is not for guests or agents, and knows no foreign id', async () => {
    const id = await addJob(room.db)
    for (const role of ['guest', 'agent', 'anonymous'] as const) {
      const caller: Caller = { role, identity: role, via: 'api' }
      expect(await cancelJob(room.web, why(id), caller)).toMatchObject({
        refusal: { code: role === 'agent' ? 'AUTHORITY_VIOLATION' : 'FORBIDDEN' },
      })
    }
    expect(await cancelJob(room.web, why(randomUUID()), OWNER)).toMatchObject({
      refusal: { code: 'NOT_FOUND' },
    })
    expect((await jobLine(room.db, id)).status).toBe('PENDING')
  })

  it('wants a reason of 3 to 256 characters', () => {
    const good = (reason: string) => jobReason.safeParse(reason).success
    expect([good('ab'), good('  a '), good('abc'), good('x'.repeat(256)), good('x'.repeat(257))]).toEqual([
      false,
      false,
      true,
      true,
      false,
    ])
  })

  it('cancels what a run has under way and nothing else', async () => {
    const [mine, done, other] = [await addJob(room.db), await addJob(room.db), await addJob(room.db)]
    await complete(room, await call(room, done))
    const run = 'run_2026-11-21_120000_abcdef'
    await room.db.query(sql`UPDATE job SET run_id = ${run} WHERE job_id IN (${mine}, ${done})`)
    const ended = await room.database.transaction((tx) =>
      cancelJobsOfRun(tx, run, 'the run was cancelled', OWNER),
    )
    expect(ended).toEqual([{ job_id: mine, called: false }])
    expect((await jobLine(room.db, other)).failure_kind).toBeNull()
  })
})

describe('bulk commands', () => {
  it('ask the backend to stop each call that they cancel, and no other', async () => {
    const agent = await addAgent(room.db, 'caller')
    const [called, queued] = [await addJob(room.db, { agent }), await addJob(room.db, { agent })]
    await call(room, called)
    const frozen = await preview({ action: 'cancel', filter: { agent } })
    if (!frozen.ok) throw new Error(frozen.refusal.message)
    const stopped: string[] = []
    const nlm = { cancel: async (id: string) => void stopped.push(id) }
    const done = await executeBulk(
      room.web,
      { token: frozen.value.token, reason: 'no longer wanted' },
      OPERATOR,
      nlm,
    )
    expect(done).toMatchObject({ ok: true, value: { done: 2 } })
    expect(stopped).toEqual([called])
    expect((await jobLine(room.db, queued)).failure_kind).toBe('cancelled')
  })

  it('refuse an empty filter and a filter that matches nothing', async () => {
    expect(await preview({ action: 'requeue', filter: {} })).toMatchObject({
      refusal: { code: 'VALIDATION_FAILED' },
    })
    expect(await preview({ action: 'requeue', filter: { agent: 'nobody-here' } })).toMatchObject({
      refusal: { code: 'NOT_FOUND' },
    })
  })

  it('touch exactly the frozen set, once, for the person who saw it', async () => {
    const agent = await addAgent(room.db, 'bulk')
    const ids = await failed(agent, 5)
    const waiting = await addJob(room.db, { agent })
    const shown = await preview({ action: 'requeue', filter: { agent } })
    if (!shown.ok) throw new Error(shown.refusal.message)
    expect(shown.value).toMatchObject({
      count: 5,
      excluded: 1,
      excluded_by_status: { PENDING: 1 },
      truncated: false,
    })
    const [late] = await failed(agent, 1)
    await requeueJob(room.web, why(ids[0] as string), OPERATOR)
    const { token } = shown.value
    const stranger = executeBulk(room.web, { token, reason: 'not mine' }, OWNER)
    await expect(stranger).rejects.toMatchObject({ refusal: { code: 'NOT_FOUND' } })
    const done = await executeBulk(room.web, { token, reason: 'the backend is up again' }, OPERATOR)
    expect(done).toMatchObject({
      ok: true,
      value: { requested: 5, done: 4, skipped: [{ job_id: ids[0], status: 'QUEUED' }] },
    })
    const changed = done.ok ? done.value.changed : []
    expect(changed.map((j) => j.job_id).sort()).toEqual(ids.slice(1).sort())
    for (const { job_id, status } of changed) expect((await jobLine(room.db, job_id)).status).toBe(status)
    expect((await jobLine(room.db, late as string)).status).toBe('FAILED')
    expect((await jobLine(room.db, waiting)).status).toBe('PENDING')
    const again = executeBulk(room.web, { token, reason: 'once more' }, OPERATOR)
    await expect(again).rejects.toMatchObject({ refusal: { code: 'NOT_FOUND' } })
  })

  it('of selected jobs touch those alone, and count what the action may not touch', async () => {
    const agent = await addAgent(room.db, 'selected')
    const [first, second, other] = await failed(agent, 3)
    const waiting = await addJob(room.db, { agent })
    const shown = await preview({ action: 'requeue', filter: { ids: [first, second, waiting] } })
    if (!shown.ok) throw new Error(shown.refusal.message)
    expect(shown.value).toMatchObject({ count: 2, excluded_by_status: { PENDING: 1 } })
    await requeueJob(room.web, why(second as string), OPERATOR)
    const { token } = shown.value
    expect(await executeBulk(room.web, { token, reason: 'up again' }, OPERATOR)).toMatchObject({
      value: {
        changed: [{ job_id: first, status: 'QUEUED' }],
        skipped: [{ job_id: second, title: 'What does the garden say?', status: 'QUEUED' }],
      },
    })
    expect((await jobLine(room.db, other as string)).status).toBe('FAILED')
    expect(jobBulkPreviewInput.safeParse({ action: 'requeue', filter: { ids: [] } }).success).toBe(false)
  })

  it('of a group of failures touch exactly its jobs', async () => {
    const agent = await addAgent(room.db, 'grouped')
    const ids = [await failed(agent, 1), await failed(agent, 1)].flat()
    const calling = await addJob(room.db, { agent })
    await call(room, calling)
    await failJob(room.web, why(calling), OPERATOR)
    const cancelled = await addJob(room.db, { agent })
    await cancelJob(room.web, why(cancelled), OPERATOR)
    const retrying = await addJob(room.db, { agent })
    await backOffJob(room, 'nlm_busy', await call(room, retrying), { code: 'RATE_LIMIT', message: 'x' })
    const { groups } = await listFailures(room.web, { resolved: 'no' }, OWNER)
    expect(groups.map(({ code }) => code)).not.toContain('CANCELLED')
    for (const { code, phase, count } of groups)
      expect((await list({ code, phase, limit: 100 })).items).toHaveLength(count)
    expect((await list({ agent, code: 'RATE_LIMIT' })).items).toEqual([])
    const shown = await preview({
      action: 'requeue',
      filter: { agent, code: 'OPERATOR_FAILED', phase: 'PENDING' },
    })
    if (!shown.ok) throw new Error(shown.refusal.message)
    expect(shown.value.sample.map((j) => j.job_id).sort()).toEqual(ids.sort())
    expect(shown.value.count).toBe(2)
  })

  it('of more than a hundred want the number typed, and a wrong number uses nothing up', async () => {
    const agent = await addAgent(room.db, 'many')
    await Promise.all(Array.from({ length: 101 }, () => addJob(room.db, { agent })))
    const shown = await preview({ action: 'cancel', filter: { agent } })
    if (!shown.ok) throw new Error(shown.refusal.message)
    expect(shown.value).toMatchObject({ count: 101, needs_typed_count: true })
    const { token } = shown.value
    for (const typed_count of [undefined, 100]) {
      const wrong = executeBulk(
        room.web,
        { token, reason: 'clean up', ...(typed_count ? { typed_count } : {}) },
        OPERATOR,
      )
      await expect(wrong).rejects.toMatchObject({ refusal: { code: 'VALIDATION_FAILED' } })
    }
    const done = await executeBulk(room.web, { token, reason: 'clean up', typed_count: 101 }, OPERATOR)
    expect(done).toMatchObject({ ok: true, value: { done: 101 } })
  })

  it('are not carried out when the preview is too old', async () => {
    const agent = await addAgent(room.db, 'old-preview')
    await failed(agent, 1)
    const shown = await preview({ action: 'requeue', filter: { agent } })
    if (!shown.ok) throw new Error(shown.refusal.message)
    await room.web.db.query(sql`UPDATE job_bulk SET expires_at = clock_timestamp() - interval '1 second'`)
    const late = executeBulk(room.web, { token: shown.value.token, reason: 'too late' }, OPERATOR)
    await expect(late).rejects.toMatchObject({ refusal: { code: 'NOT_FOUND' } })
  })
})
