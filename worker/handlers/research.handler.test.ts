import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { ProcessRequest } from '#contracts/research.contract.ts'
import { openDirectoryStore } from '#server/adapters/object-store/directory.ts'
import { serveContext } from '#server/contexts/serve-context.ts'
import type { LeasedJob } from '#server/jobs/job-row.ts'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { databaseNow } from '#server/ledger/clock-skew.ts'
import { type Database, openDatabase } from '#server/ledger/database.ts'
import { contextKey, type ObjectStore, sha256Hex } from '#server/ports/object-store.ts'
import type { Services } from '#server/services.ts'
import { researchPhases } from './research.handler.ts'

const HOUR_MS = 3_600_000
const env = {
  BLOOM_JOB_TOKEN_KEY: 'k'.repeat(43),
  GATEWAY_URL: 'http://gateway.example',
  NLM_CALLBACK_URL: 'http://membridge.example',
} as Services['env']
const job = { job_id: '1', job_type: 'RESEARCH', payload: {} } as LeasedJob

let made: TestDatabase
let database: Database
let store: ObjectStore
let folder: string
beforeAll(async () => {
  made = await createTestDatabase()
  database = openDatabase(made.url)
  folder = await mkdtemp(join(tmpdir(), 'bloom-research-'))
  store = await openDirectoryStore(folder)
})
afterEach(() => {
  vi.useRealTimers()
})
afterAll(async () => {
  await database.close()
  await made.drop()
  await rm(folder, { recursive: true })
})

test.each([-HOUR_MS, HOUR_MS])(
  'a worker whose clock is %i ms away gives an address that is good',
  async (away) => {
    const bytes = new TextEncoder().encode('{}')
    const sha256 = sha256Hex(bytes)
    await store.create(contextKey(sha256), bytes)
    let asked: ProcessRequest | undefined
    const nlm = {
      process: async (request: ProcessRequest) => {
        asked = request
        return { kind: 'accepted' } as const
      },
    }
    const services = { db: database, store, env } as unknown as Services
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + away })
    const context = { key: contextKey(sha256), sha256 } as never
    await researchPhases(services, nlm).call(job, context, 'token', new AbortController().signal)
    vi.useRealTimers()

    const url = new URL(asked?.context.memory_snapshot_url ?? '')
    const address = {
      sha256,
      expires: Number(url.searchParams.get('expires')),
      signature: url.searchParams.get('signature') ?? '',
    }
    const now = await databaseNow(database)
    expect(await serveContext({ store, env }, address, now)).toEqual({ ok: true, value: bytes })
    expect(address.expires * 1000 - now.getTime()).toBeLessThan(HOUR_MS / 2)
  },
)
