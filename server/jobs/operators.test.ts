import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jobBulkPreviewInput, jobListInput, jobReason } from '#contracts/job.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { onLedger } from '#server/ledger/testing/on-ledger.ts'
import { protectSecrets } from '#server/redaction/redact.ts'
import { getMetrics } from '#server/system/get-metrics.query.ts'
import { executeBulk } from './execute-bulk.ts'
import { getJob } from './get-job.query.ts'
import { listFailures } from './list-failures.query.ts'
import { countJobs, listJobs } from './list-jobs.query.ts'
import { cancelJob, cancelJobsOfArchived, cancelJobsOfRun, failJob, requeueJob } from './operate-job.ts'
import { previewBulk } from './preview-bulk.ts'
import { admitJobs, claimJobs } from './queue.ts'
import { backOffJob, failPermanently, releaseJobs } from './retry.ts'
import {
  ADDRESSES,
  addAgent,
  addJob,
  call,
  complete,
  endBackoff,
  eventsOf,
  hold,
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
    const { groups } = await listFailures(room.web, OWNER)
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

describe('reading', () => {
  it('pages through every job once, newest first, whatever the page size', async () => {
    const agent = await addAgent(room.db, 'paged')
    const ids: string[] = []
    for (let n = 0; n < 23; n++) ids.push(await addJob(room.db, { agent }))
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await list({ agent, limit: 5, ...(cursor ? { cursor } : {}) })
      seen.push(...page.items.map((j) => j.job_id))
      cursor = page.next_cursor ?? undefined
    } while (cursor)
    expect([...seen].sort()).toEqual([...ids].sort())
    await expect(list({ agent, cursor: 'nonsense' })).rejects.toMatchObject({
      refusal: { code: 'BAD_REQUEST' },
    })
  })

  it('filters by state, agent, failure, text and id', async () => {
    const agent = await addAgent(room.db, 'filtered')
    const id = await addJob(room.db, { agent, query: 'Що таке 100% термін_оренди?' })
    await failed(agent, 2)
    const count = async (more: object) => (await list({ agent, ...more })).items.length
    expect(await count({ status: 'FAILED' })).toBe(2)
    expect(await count({ status: ['FAILED', 'PENDING'] })).toBe(3)
    expect(await count({ failure: 'operator' })).toBe(2)
    expect(await count({ q: 'термін_оренди' })).toBe(1)
    expect(await count({ q: '100%' })).toBe(1)
    expect(await count({ q: '%' })).toBe(1)
    expect(await count({ q: id.slice(0, 8) })).toBe(1)
    expect(await count({ q: "'; DROP TABLE job; --" })).toBe(0)
  })

  it('says why a job waits and whom it waits for', async () => {
    const agent = await addAgent(room.db, 'waiting')
    const first = await addJob(room.db, { agent })
    const second = await addJob(room.db, { agent })
    await hold(room, first)
    const detail = await getJob(web(), { job_id: second }, OWNER)
    expect(detail).toMatchObject({
      value: { wait_reason: 'agent_busy', wait_blocker: first, actions: ['cancel', 'fail'] },
    })
    await failJob(room.web, why(first), OPERATOR)
    await room.db.query(sql`UPDATE agent SET status = 'paused' WHERE slug = ${agent}`)
    await requeueJob(room.web, why(first), OPERATOR)
    expect((await claimJobs(room, { holder: 'w', limit: 1_000 })).map((j) => j.agent_slug)).not.toContain(
      agent,
    )
    expect(await getJob(web(), { job_id: first }, OWNER)).toMatchObject({
      value: { status: 'QUEUED', wait_reason: 'agent_inactive', wait_blocker: agent },
    })
    const third = await addJob(room.db, { agent })
    expect(await getJob(web(), { job_id: third }, OWNER)).toMatchObject({
      value: { wait_reason: 'agent_inactive', wait_blocker: agent },
    })
  })

  it.each([['paused'], ['error'], ['archived', 'draft']] as const)(
    'holds the queued jobs of an agent that is no longer active (%s %s), until it is active again',
    async (...path) => {
      const agent = await addAgent(room.db, `inactive-${path.join('-')}`)
      const id = await addJob(room.db, { agent })
      await admitJobs(room.db, 1_000)
      const set = (status: string) =>
        room.db.query(sql`UPDATE agent SET status = ${status} WHERE slug = ${agent}`)
      for (const status of path) await set(status)
      const claimed = async () =>
        (await claimJobs(room, { holder: 'w', limit: 1_000 })).map(({ job_id }) => job_id)
      expect(await claimed()).not.toContain(id)
      expect(await getJob(web(), { job_id: id }, OWNER)).toMatchObject({
        value: { status: 'QUEUED', wait_reason: 'agent_inactive', wait_blocker: agent },
      })
      await set('active')
      expect(await claimed()).toContain(id)
    },
  )

  it('cancels what waits for an agent that was archived, and does not requeue it', async () => {
    const agent = await addAgent(room.db, 'leaver')
    const backing = await addJob(room.db, { agent })
    await backOffJob(room, 'nlm_busy', await call(room, backing), { code: 'RATE_LIMIT', message: 'x' })
    const working = await addJob(room.db, { agent })
    await hold(room, working)
    const [queued, other] = [await addJob(room.db, { agent }), await addJob(room.db)]
    await admitJobs(room.db, 1_000)
    await room.db.query(sql`UPDATE agent SET status = 'archived' WHERE slug = ${agent}`)
    expect(await cancelJobsOfArchived(room.db)).toBe(2)
    expect((await jobLine(room.db, working)).status).toBe('CONTEXT_ASSEMBLY')
    expect((await jobLine(room.db, other)).status).toBe('QUEUED')
    for (const id of [backing, queued]) {
      expect(await jobLine(room.db, id)).toMatchObject({
        status: 'FAILED',
        failure_kind: 'cancelled',
        error: { message: 'The agent was archived.' },
      })
      expect(await requeueJob(room.web, why(id), OPERATOR)).toMatchObject({
        ok: false,
        refusal: { code: 'AGENT_NOT_ACTIVE' },
      })
    }
    const shown = await preview({ action: 'requeue', filter: { agent } })
    if (!shown.ok) throw new Error(shown.refusal.message)
    const done = await executeBulk(room.web, { token: shown.value.token, reason: 'once more' }, OPERATOR)
    expect(done).toMatchObject({ ok: true, value: { requested: 2, done: 0 } })
  })

  it('shows the attempts of a job with their phases', async () => {
    const id = await addJob(room.db)
    await backOffJob(room, 'nlm_busy', await call(room, id), { code: 'RATE_LIMIT', message: 'slow down' })
    await room.db.query(
      sql`UPDATE job SET status = 'QUEUED', not_before = NULL, attempt = 1 WHERE job_id = ${id}`,
    )
    await complete(room, await call(room, id))
    const detail = await getJob(web(), { job_id: id }, OWNER)
    if (!detail.ok) throw new Error(detail.refusal.message)
    expect(detail.value.attempts.map((a) => [a.attempt, a.outcome, a.phases.map((p) => p.state)])).toEqual([
      [0, 'retried', ['CONTEXT_ASSEMBLY', 'NOTEBOOKLM_CALL']],
      [1, 'complete', ['CONTEXT_ASSEMBLY', 'NOTEBOOKLM_CALL', 'ARTIFACT_WRITE']],
    ])
    expect(detail.value.attempts[0]?.error?.code).toBe('RATE_LIMIT')
    expect(detail.value.artifact?.title).toBe('An answer')
    expect(await getJob(web(), { job_id: randomUUID() }, OWNER)).toMatchObject({
      refusal: { code: 'NOT_FOUND' },
    })
  })

  it('says how long the last attempt worked: not the queue, not the time as failed before a requeue', async () => {
    const id = await addJob(room.db)
    const times = async () => {
      const [job] = (await list({ q: id })).items
      const { attempt_started_at: started, attempt_ended_at: ended } = job ?? {}
      return { started, ended, work: started && ended ? Date.parse(ended) - Date.parse(started) : null }
    }
    expect(await times()).toMatchObject({ started: null, ended: null })
    const first = await call(room, id)
    expect(await times()).toMatchObject({ started: expect.any(String), ended: null })
    await failPermanently(room.db, first, { code: 'VALIDATION_ERROR', message: 'no' })
    const failed = await times()
    expect(failed.work).toBeGreaterThanOrEqual(0)
    // A day as failed, then a requeue and another attempt.
    await onLedger(room.ownerUrl, (db) =>
      db.query(sql`UPDATE job SET created_at = created_at - interval '1 day' WHERE job_id = ${id}`),
    )
    await requeueJob(room.web, why(id), OPERATOR)
    expect(await times()).toMatchObject({ started: null, ended: null })
    await complete(room, await call(room, id))
    const done = await times()
    expect(Date.parse(done.started ?? '')).toBeGreaterThan(Date.parse(failed.ended ?? ''))
    expect(done.work).toBeLessThan(3_600_000)
  })

  it('counts what was cancelled apart from what failed, and lists it so', async () => {
    const agent = await addAgent(room.db, 'counted')
    const before = await countJobs(room.web, OPERATOR)
    const [cancelled, broken] = [await addJob(room.db, { agent }), await addJob(room.db, { agent })]
    await cancelJob(room.web, why(cancelled), OPERATOR)
    await failJob(room.web, why(broken), OPERATOR)
    const after = await countJobs(room.web, OPERATOR)
    expect(after.by_status.FAILED.count).toBe(before.by_status.FAILED.count + 1)
    expect(after.cancelled.count).toBe(before.cancelled.count + 1)
    expect(after.total.count).toBe(before.total.count + 2)
    const ids = async (input: object) =>
      (await list({ agent, status: 'FAILED', ...input })).items.map((job) => job.job_id)
    expect(await ids({ cancelled: 'no' })).toEqual([broken])
    expect(await ids({ failure: 'cancelled' })).toEqual([cancelled])
    expect(await ids({})).toHaveLength(2)
    const metrics = await getMetrics({
      db: room.web.db,
      env: { BLOOM_HOME: tmpdir() },
      streams: () => [],
    })
    const jobs = (status: string) =>
      Number(metrics.match(new RegExp(`garden_jobs\\{status="${status}"\\} (\\d+)`))?.[1])
    expect([jobs('FAILED'), jobs('CANCELLED')]).toEqual([after.by_status.FAILED.count, after.cancelled.count])
  })

  it('masks secrets in the payload that it shows, and keeps the payload', async () => {
    protectSecrets(['a configured secret'])
    const id = await addJob(room.db)
    const payload = {
      query: 'Why does "a configured secret" not work?',
      options: { deep: [{ api_key: 'k-123', depth: 2 }] },
      url: 'https://bloom:pass@backend.example/x',
    }
    await room.db.query(sql`UPDATE job SET payload = ${JSON.stringify(payload)}::jsonb WHERE job_id = ${id}`)
    expect(await getJob(web(), { job_id: id }, OWNER)).toMatchObject({
      value: {
        payload: {
          query: 'Why does "****" not work?',
          options: { deep: [{ api_key: '****', depth: 2 }] },
          url: 'https://****@backend.example/x',
        },
      },
    })
    const { rows } = await room.db.query(sql`SELECT payload FROM job WHERE job_id = ${id}`)
    expect(rows).toEqual([{ payload }])
  })

  it('counts by state and groups failures by how they ended', async () => {
    const { by_status, total } = await countJobs(room.web, OPERATOR)
    const { rows } = await room.db.query<{ n: number }>(sql`SELECT count(*) AS n FROM job`)
    expect(total).toEqual({ count: rows[0]?.n, exact: true })
    expect(by_status.DEAD).toEqual({ count: 0, exact: true })
    for (const port of [8080, 9090]) {
      const job = await addJob(room.db)
      await call(room, job)
      const reason = `no answer from http://host:${port}/x after 12 s`
      await failJob(room.web, { job_id: job, reason }, OPERATOR)
    }
    const group = (await listFailures(room.web, OWNER)).groups.find(
      (g) => g.code === 'OPERATOR_FAILED' && g.phase === 'NOTEBOOKLM_CALL',
    )
    expect(group).toMatchObject({
      pattern: 'no answer from <url> after <n> s',
      patterns: 2,
      count: 3,
      sample_message: 'no answer from http://host:9090/x after 12 s',
    })
  })
})
