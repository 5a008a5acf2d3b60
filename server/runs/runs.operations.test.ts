import { rm } from 'node:fs/promises'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Refusal } from '#domain/kernel/errors.ts'
import { syncAgents } from '#server/agents/sync-agents.ts'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { onLedger } from '#server/ledger/testing/on-ledger.ts'
import { type Kit, makeGround, openKit } from '#server/runs/testing/run-kit.ts'
import type { Services } from '#server/services.ts'
import { callerFor, OPERATOR, OWNER, refusalOfCall } from '#server/trpc/testing.ts'

const JOB = '3e9d5b7a-1c42-4f86-a0d9-6b8e4f2c7a15'

/** What a repeat is told of a refusal: its code, its sentence and its entry. */
const recorded = ({ code, message, details }: Refusal) => ({
  code,
  message,
  details: { inbox_id: (details as { inbox_id: string }).inbox_id },
})

let database: TestDatabase
let kit: Kit
let folder: string
let services: Partial<Services>
const owner = () => callerFor(services, OWNER)

beforeAll(async () => {
  database = await createTestDatabase()
  folder = await makeGround(['scout', 'idle'])
  kit = await openKit({ url: database.webUrl, folder })
  const notifier = { notify: () => {}, on: () => () => {}, close: async () => {} }
  services = { ...kit, notifier, env: { APPLY_HOLD_SECONDS: 10 } as Services['env'] }
  await onLedger(database.workerUrl, (db) => syncAgents({ ...kit, db }))
})
afterAll(async () => {
  await kit.close()
  await database.drop()
  await rm(folder, { recursive: true, force: true })
})

describe('runs and agents as the console calls them', () => {
  test('an imported agent is a draft and does not run until the owner activates it', async () => {
    const { items } = await owner().agents.list({})
    expect(items.map((a) => [a.slug, a.status, a.allowed])).toEqual([
      ['idle', 'draft', ['activate', 'archive']],
      ['scout', 'draft', ['activate', 'archive']],
    ])
    const refusal = await refusalOfCall(owner().runs.request({ slug: 'scout', params: { question: 'Why?' } }))
    expect(refusal.code).toBe('AGENT_NOT_ACTIVE')
    const once = { slug: 'scout', params: { question: 'Why?' }, correlation_id: 'too-early' }
    const first = await refusalOfCall(owner().runs.request(once))
    expect(first.code).toBe('AGENT_NOT_ACTIVE')
    expect(await refusalOfCall(owner().runs.request(once))).toEqual(recorded(first))
    const job = { job_type: 'RESEARCH', agent_slug: 'nobody', payload: { query: 'Why?' } } as const
    const asked = () => refusalOfCall(owner().jobs.submit({ ...job, job_id: JOB }))
    const refused = await asked()
    expect(refused.code).toBe('TARGET_NOT_FOUND')
    expect(await asked()).toEqual(recorded(refused))
    expect((await owner().runs.list({})).items).toEqual([])
    const commanded = await owner().agents.command({ slug: 'scout', command: 'activate' })
    // The file says active already: nothing to propose.
    expect(commanded).toEqual({ slug: 'scout', status: 'active', proposal_id: null, unchanged: false })
    expect(await owner().agents.command({ slug: 'scout', command: 'activate' })).toMatchObject({
      unchanged: true,
    })
  })

  test('pausing proposes the change of the file and approves it without hold, once', async () => {
    await owner().agents.command({ slug: 'idle', command: 'activate' })
    const paused = await owner().agents.command({ slug: 'idle', command: 'pause', reason: 'enough for now' })
    expect(paused.status).toBe('paused')
    const { rows } = await kit.db.query(
      sql`SELECT status, target_path, apply_not_before <= clock_timestamp() AS due, decided_by FROM proposal WHERE proposal_id = ${paused.proposal_id}`,
    )
    expect(rows).toEqual([
      { status: 'APPROVED', target_path: 'agents/idle/_agent.md', due: true, decided_by: 'owner' },
    ])
    const refusal = await refusalOfCall(owner().agents.command({ slug: 'idle', command: 'restore' }))
    expect(refusal).toMatchObject({
      code: 'INVALID_AGENT_TRANSITION',
      details: { from: 'paused', event: 'restore', allowed: ['resume', 'archive'] },
    })
  })

  test('a run is asked for once by its token; another body under it is refused', async () => {
    const input = { slug: 'scout', params: { question: 'What grows?' }, correlation_id: 'mine-1' }
    const first = await owner().runs.request(input)
    const again = await owner().runs.request(input)
    expect(again).toMatchObject({ run_id: first.run_id, unchanged: true })
    const other = owner().runs.request({ ...input, params: { question: 'What else?' } })
    expect((await refusalOfCall(other)).code).toBe('IDEMPOTENCY_MISMATCH')
    const detail = await owner().runs.get({ run_id: first.run_id })
    expect(detail).toMatchObject({ status: 'queued', title: 'What grows?', cancellable: true })
    expect(detail.phases.map((p) => p.state)).toEqual(['done', 'waiting', ...Array(5).fill('pending')])
    expect(await kit.store.get(`agents/scout/runs/${first.run_id}/status.json`)).not.toBeNull()
  })

  test('a sixth waiting run is too much, and leaves nothing behind', async () => {
    for (let i = 0; i < 4; i++) await owner().runs.request({ slug: 'scout', params: { question: `${i}` } })
    const refusal = await refusalOfCall(owner().runs.request({ slug: 'scout', params: { question: 'six' } }))
    expect(refusal).toMatchObject({ code: 'QUEUE_FULL', details: { waiting: 5, limit: 5 } })
    expect((await owner().runs.list({ agent: 'scout' })).items).toHaveLength(5)
  })

  test('the list pages without gap, also as an infinite list asks', async () => {
    const all = (await owner().runs.list({})).items.map((r) => r.run_id)
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const asked = { limit: 2, direction: 'forward', ...(cursor ? { cursor } : {}) }
      const page = await owner().runs.list(asked as { limit: number })
      seen.push(...page.items.map((r) => r.run_id))
      cursor = page.next_cursor ?? undefined
    } while (cursor)
    expect(seen).toEqual(all)
  })

  test('the operator cancels what waits, and may not start anything', async () => {
    const operator = callerFor(services, OPERATOR)
    const [run] = (await operator.runs.list({ status: 'queued' })).items
    const runId = run?.run_id ?? ''
    expect(await operator.runs.cancel({ run_id: runId, reason: 'not needed' })).toMatchObject({
      status: 'cancelled',
      unchanged: false,
    })
    expect(await operator.runs.cancel({ run_id: runId, reason: 'again' })).toMatchObject({ unchanged: true })
    expect((await refusalOfCall(operator.runs.request({ slug: 'scout', params: {} }))).code).toBe('FORBIDDEN')
    expect((await refusalOfCall(operator.agents.command({ slug: 'scout', command: 'pause' }))).code).toBe(
      'FORBIDDEN',
    )
  })
})
