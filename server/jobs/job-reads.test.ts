import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jobBulkPreviewInput, jobListInput } from '#contracts/job.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { onLedger } from '#server/ledger/testing/on-ledger.ts'
import { protectSecrets } from '#server/redaction/redact.ts'
import { getMetrics } from '#server/system/get-metrics.query.ts'
import { executeBulk } from './execute-bulk.ts'
import { getJob } from './get-job.query.ts'
import { jobCounts } from './job-counts.ts'
import { listFailures } from './list-failures.query.ts'
import { countJobs, listJobs } from './list-jobs.query.ts'
import { cancelJob, cancelJobsOfArchived, failJob, requeueJob, waitingOfArchived } from './operate-job.ts'
import { previewBulk } from './preview-bulk.ts'
import { admitJobs, claimJobs } from './queue.ts'
import { backOffJob, failPermanently } from './retry.ts'
import {
  ADDRESSES,
  addAgent,
  addJob,
  call,
  complete,
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

  it('finds what waits for archived agents along the indexes of what waits', async () => {
    const plan = await room.db.transaction(async (tx) => {
      await tx.query(sql`SET LOCAL enable_seqscan = off`)
      await tx.query(sql`SET LOCAL enable_bitmapscan = off`)
      const { rows } = await tx.query<{ 'QUERY PLAN': string }>(sql`EXPLAIN ${waitingOfArchived(200)}`)
      return rows.map((row) => row['QUERY PLAN']).join('\n')
    })
    const used = [...plan.matchAll(/ using (\w+) on job/g)].map(([, name]) => name)
    expect(used).toEqual(['job_queue', 'job_backoff_agent'])
    expect(plan).not.toContain('Sort')
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

  it('counts along indexes alone, however many jobs were cancelled', async () => {
    await onLedger(room.ownerUrl, (db) =>
      db.transaction(async (tx) => {
        await tx.query(sql`SET LOCAL enable_seqscan = off`)
        const plan = await tx.query<{ 'QUERY PLAN': string }>(sql`EXPLAIN ${jobCounts(10)}`)
        const text = plan.rows.map((row) => row['QUERY PLAN']).join('\n')
        expect(text).toMatch(/job_failed[\s\S]*job_cancelled/)
        expect(text).not.toMatch(/Filter: /)
      }),
    )
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
    const silent = [8080, 9090].map((port) => `no answer from http://host:${port}/x after 12 s`)
    for (const reason of ['stuck', ...silent]) {
      const job = await addJob(room.db)
      await call(room, job)
      await failJob(room.web, { job_id: job, reason }, OPERATOR)
    }
    const group = (await listFailures(room.web, { resolved: 'no' }, OWNER)).groups.find(
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
