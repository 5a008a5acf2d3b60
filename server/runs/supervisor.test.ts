import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { LEASE_SECONDS } from '#domain/job/job.rules.ts'
import { readRun } from './run-row.ts'
import { ask, expireLease, type Harness, openHarness, patiently, status, until } from './testing/harness.ts'
import { outputOf } from './testing/run-kit.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

let h: Harness
beforeEach(async () => {
  h = await openHarness(['scout'])
})
afterEach(() => h.close())

test('a lease that could not be renewed in time stays lost: nobody renews it, its run is left, another goes on', async () => {
  const released = Promise.withResolvers<void>()
  const worker = await h.worker({
    execute: async () => outputOf(),
    failpoint: (name) => (name === 'step-2-begun' ? released.promise : undefined),
  })
  const { db } = worker.kit
  const runId = await ask(h.kit, 'scout')
  await until(worker, runId, (run) => run.current_step === 2)

  const now = performance.now()
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  vi.advanceTimersByTime(now + LEASE_SECONDS * 1_000)
  Object.assign(worker.kit, { db: { ...db, query: () => Promise.reject(new Error('connection refused')) } })
  await expect(worker.supervisor.heartbeat()).rejects.toThrow('connection refused')
  vi.useRealTimers()
  Object.assign(worker.kit, { db })

  const expires = (await readRun(db, runId))?.lease_expires_at
  await worker.supervisor.heartbeat()
  expect((await readRun(db, runId))?.lease_expires_at).toEqual(expires)
  released.resolve()
  await patiently(() => worker.supervisor.activeRuns().length === 0)

  await expireLease(h.kit, runId)
  const other = await h.worker({ execute: async () => outputOf() })
  const run = await until(other, runId, status('completed'))
  expect(run).toMatchObject({ resumes: 1, retries_used: 0 })
})
