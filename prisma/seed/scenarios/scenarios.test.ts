import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { jobMachine } from '#domain/job/job.machine.ts'
import { verifyNow } from '#server/audit/testing/verify-now.ts'
import { openStore } from '#server/composition/open-store.ts'
import { type Env, loadEnv } from '#server/env.ts'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { type Database, openDatabase } from '#server/ledger/database.ts'
import { fillScenario, NotEmpty } from './fill.ts'
import type { ScenarioName } from './names.ts'

const ROWS = 600

let database: TestDatabase
let ledger: Database
let env: Env

beforeEach(async () => {
  database = await createTestDatabase()
  ledger = openDatabase(database.url, { connections: 2 })
  const home = await mkdtemp(join(tmpdir(), 'bloom-scenario-'))
  env = loadEnv({ NODE_ENV: 'test', BLOOM_HOME: home, DATABASE_URL: database.url, LOG_LEVEL: 'silent' })
})
afterEach(async () => {
  await ledger.close()
  await database.drop()
  await rm(env.BLOOM_HOME, { recursive: true, force: true })
})

const fill = (name: ScenarioName) => fillScenario(env, name, ROWS)

/** How many rows of a table there are by a column. */
async function countBy(table: string, column = 'status'): Promise<Record<string, number>> {
  const { rows } = await ledger.pool.query(
    `SELECT ${column} AS name, count(*)::int AS n FROM ${table} GROUP BY 1 ORDER BY 1`,
  )
  return Object.fromEntries(rows.map((row) => [row.name, row.n]))
}

/** The chain of seals holds over every event. */
async function expectSealed(): Promise<void> {
  const { rows } = await ledger.pool.query('SELECT count(*)::int AS n FROM event')
  const found = await verifyNow({ db: ledger, store: await openStore(env), env }, { db: ledger })
  expect(found).toMatchObject({ ok: true, events_checked: rows[0].n })
}

describe('scenarios', () => {
  test('empty has neither notes nor agents', async () => {
    await fill('empty')
    expect(await countBy('agent')).toEqual({})
    expect(await countBy('account', 'name')).toEqual({ owner: 1 })
    await expect(fill('empty')).rejects.toBeInstanceOf(NotEmpty)
    await expect(fill('busy')).rejects.toThrow('not the demo garden')
  })

  test('demo has the three agents, and others can be made upon it', async () => {
    await fill('demo')
    expect(await countBy('agent')).toEqual({ active: 3 })
    await expect(fill('demo')).rejects.toBeInstanceOf(NotEmpty)
    await fill('large')
    expect(await countBy('agent')).toEqual({ active: 3 })
  })

  test('busy has something in every state, sealed, and is made once', async () => {
    await fill('busy')
    expect(Object.keys(await countBy('job')).sort()).toEqual([...jobMachine.states].sort())
    expect(await countBy('run')).toEqual({
      cancelled: 1,
      completed: 3,
      failed: 1,
      queued: 1,
      requested: 1,
      running: 1,
    })
    expect(await countBy('zone')).toEqual({ expired: 1, open: 2, revoked: 1 })
    const proposals = await countBy('proposal')
    expect(proposals).toMatchObject({
      APPLIED: 3,
      APPROVED: 1,
      DISCARDED: 1,
      EXPIRED: 1,
      FAILED: 1,
      REJECTED: 1,
    })
    expect(proposals.PENDING).toBeGreaterThan(5)
    await expectSealed()
    await expect(fill('failing')).rejects.toBeInstanceOf(NotEmpty)
    expect(await countBy('proposal')).toEqual(proposals)
  })

  test('failing has failures of every kind', async () => {
    await fill('failing')
    expect(await countBy("job WHERE status = 'DEAD'", "error ->> 'code'")).toEqual({
      CONTEXT_TIMEOUT: 3,
      NLM_TIMEOUT: 3,
      NLM_UNAVAILABLE: 3,
      RATE_LIMIT: 3,
      STORAGE_ERROR: 3,
    })
    expect(Object.keys(await countBy("job WHERE status = 'FAILED'", "error ->> 'code'")).sort()).toEqual([
      'AGENT_NOT_ACTIVE',
      'CANCELLED',
      'NLM_REFUSED',
      'NLM_UNAVAILABLE',
      'OPERATOR_FAILED',
      'VALIDATION_ERROR',
    ])
    expect(await countBy('run')).toEqual({ failed: 4 })
    expect(await countBy('agent')).toEqual({ active: 2, error: 1 })
    expect(await countBy('proposal', "error ->> 'code'")).toEqual({
      conflict: 1,
      target_exists: 1,
      target_missing: 1,
    })
    await expectSealed()
  })

  test('large has as many rows as were asked for, each with an event, sealed', async () => {
    await fill('large')
    for (const table of ['inbox_entry', 'proposal', 'run', 'job', 'artifact'])
      expect(await countBy(table, `'rows'`), table).toEqual({ rows: ROWS })
    const events = await countBy('event', 'resource_type')
    expect(events).toMatchObject({ artifact: ROWS, inbox: ROWS, job: ROWS, proposal: ROWS, run: ROWS })
    await expectSealed()
  })
})
