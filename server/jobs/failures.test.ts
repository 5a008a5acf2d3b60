import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jobListInput } from '#contracts/job.contract.ts'
import type { JobState } from '#domain/job/job.machine.ts'
import { onLedger } from '#server/ledger/testing/on-ledger.ts'
import { failureGroups, listFailures } from './list-failures.query.ts'
import { listJobs } from './list-jobs.query.ts'
import { cancelJob, failJob, requeueJob } from './operate-job.ts'
import { resolveFailures } from './resolve-failures.ts'
import {
  ADDRESSES,
  addAgent,
  addJob,
  call,
  OPERATOR,
  OWNER,
  openRoom,
  type Room,
} from './testing/queue-room.ts'

const GROUP = { code: 'OPERATOR_FAILED', phase: 'NOTEBOOKLM_CALL' as JobState }
const NOTE = 'The backend was restarted.'

let room: Room
beforeAll(async () => {
  room = await openRoom()
})
afterAll(() => room?.close())

const failOne = async (agent: string): Promise<string> => {
  const job_id = await addJob(room.db, { agent })
  await call(room, job_id)
  await failJob(room.web, { job_id, reason: 'stuck' }, OPERATOR)
  return job_id
}
const groups = async (resolved: 'yes' | 'no' = 'no') =>
  (await listFailures(room.web, { resolved }, OWNER)).groups
const group = async () =>
  (await groups()).find(({ code, phase }) => code === GROUP.code && phase === GROUP.phase)
const resolve = async (through: string, caller = OPERATOR) =>
  resolveFailures(room.web, { ...GROUP, through, reason: NOTE }, caller)

describe('a group of failures', () => {
  it('is first and last seen, counted by hour, and is exactly the list of its code and phase', async () => {
    const agent = await addAgent(room.db, 'broken')
    const ids = [await failOne(agent), await failOne(agent), await failOne(agent)]
    await onLedger(room.ownerUrl, (db) =>
      db.query(
        sql`UPDATE job SET finished_at = finished_at - interval '90 minutes' WHERE job_id = ${ids[0]}`,
      ),
    )
    const found = await group()
    expect(found?.hours).toHaveLength(24)
    expect(found?.hours.slice(-3)).toEqual([0, 1, 2])
    expect(Date.parse(found?.last_at ?? '') - Date.parse(found?.first_at ?? '')).toBeGreaterThan(80 * 60_000)
    const page = await listJobs({ ...room.web, env: ADDRESSES }, jobListInput.parse(GROUP), OWNER)
    expect(page.items.map(({ job_id }) => job_id).sort()).toEqual(ids.sort())
    expect(found?.count).toBe(ids.length)
  })

  it('leaves the list with who resolved it and why, once, until a job fails in that way again', async () => {
    const seen = (await group())?.last_at as string
    const outcomes = await Promise.all([resolve(seen), resolve(seen, OWNER)])
    expect(outcomes.map((one) => (one.ok ? 'ok' : one.refusal.code)).sort()).toEqual([
      'CONCURRENT_MODIFICATION',
      'ok',
    ])
    expect(await group()).toBeUndefined()
    const resolution = { reason: NOTE, at: expect.any(String), by: expect.stringMatching(/owner|operator/) }
    expect(await groups('yes')).toMatchObject([{ ...GROUP, resolution }])
    const { rows } = await room.db.query(
      sql`SELECT actor, reason FROM event WHERE name = 'job.failures.resolved' AND resource_type = 'job_failures'`,
    )
    expect(rows).toMatchObject([{ reason: NOTE }])
    await failOne('broken')
    expect(await group()).toMatchObject({ count: 4, resolution })
    expect(await groups('yes')).toEqual([])
  })

  it('is not resolved for a failure that came after it was read, nor ahead of time', async () => {
    const seen = (await group())?.last_at as string
    const later = await failOne('broken')
    expect(await resolve(seen)).toMatchObject({ ok: true })
    expect(await group()).toMatchObject({ count: 5 })
    expect(await resolve('2999-01-01T00:00:00.000Z')).toMatchObject({ ok: true })
    expect(await group()).toBeUndefined()
    await requeueJob(room.web, { job_id: later, reason: 'try again' }, OPERATOR)
    await cancelJob(room.web, { job_id: later, reason: 'no longer wanted' }, OPERATOR)
    await failOne('broken')
    expect(await group()).toMatchObject({ count: 5 })
  })

  it('that has no job cannot be resolved', async () => {
    const none = { code: 'NLM_REFUSED', phase: GROUP.phase, through: new Date().toISOString(), reason: NOTE }
    expect(await resolveFailures(room.web, none, OPERATOR)).toMatchObject({
      refusal: { code: 'CONCURRENT_MODIFICATION' },
    })
  })

  it('and its members are read along indexes, however many jobs there are', async () => {
    await onLedger(room.ownerUrl, (db) =>
      db.transaction(async (tx) => {
        await tx.query(
          sql`SELECT set_config(name, 'off', true) FROM unnest(ARRAY['enable_seqscan', 'enable_bitmapscan', 'enable_sort']) name`,
        )
        const plan = await tx.query<{ 'QUERY PLAN': string }>(sql`EXPLAIN ${failureGroups()}`)
        expect(plan.rows.map((row) => row['QUERY PLAN']).join('\n')).toMatch(
          /Index Only Scan using job_failures/,
        )
      }),
    )
    const members = await listJobs({ ...room.web, env: ADDRESSES }, jobListInput.parse(GROUP), OWNER)
    expect(members.items).toHaveLength(5)
  })
})
