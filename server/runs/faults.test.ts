import sql from 'sql-template-tag'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ORCHESTRATION_LAYER } from '#domain/authority/caller.ts'
import { RUN_RETRY_BUDGET } from '#domain/run/step.machine.ts'
import { call } from '#server/jobs/testing/queue-room.ts'
import { onLedger } from '#server/ledger/testing/on-ledger.ts'
import { transition } from '#server/ledger/transition.ts'
import { ToolFailure } from '#server/ports/agent-executor.ts'
import { StorageUnavailable } from '#server/ports/object-store.ts'
import { cancelRun } from './cancel-run.ts'
import { projectRun, putStatus } from './project-run.ts'
import { runFolder } from './run-ids.ts'
import { statusObject } from './run-objects.ts'
import { readRun, readSteps } from './run-row.ts'
import { stepViews } from './run-view.ts'
import {
  ask,
  expireLease,
  type Harness,
  OWNER,
  openHarness,
  patiently,
  status,
  storedObject,
  tick,
  until,
} from './testing/harness.ts'
import { outputOf } from './testing/run-kit.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

let h: Harness
beforeEach(async () => {
  h = await openHarness(['scout'])
})
afterEach(() => h.close())

const agent = async () => {
  const { rows } = await h.kit.db.query(
    sql`SELECT status, failed_in_row, error FROM agent WHERE slug = 'scout'`,
  )
  return rows[0]
}
const crash = async () => {
  throw new Error('the executor fell over')
}

test('a run whose model has no executor fails at once and says so', async () => {
  const worker = await h.worker({ executors: { find: () => null } })
  const run = await until(worker, await ask(h.kit, 'scout'), status('failed'))
  expect(run).toMatchObject({ retries_used: 0, error: { code: 'MODEL_UNAVAILABLE', step: 2 } })
})

describe('retries', () => {
  test('an executor that falls over is tried again, and what it said is kept', async () => {
    let falls = 2
    const worker = await h.worker({ execute: async () => (falls-- > 0 ? crash() : outputOf()) })
    const runId = await ask(h.kit, 'scout')
    const run = await until(worker, runId, status('completed'))
    expect(run.retries_used).toBe(2)
    const [, execution] = await readSteps(h.kit.db, runId)
    expect(execution?.attempts.map((a) => a.error?.code ?? 'ok')).toEqual([
      'INTERNAL_ERROR',
      'INTERNAL_ERROR',
      'ok',
    ])
  })

  test('one that always falls over fails the run after three retries, with manifest and step object', async () => {
    const worker = await h.worker({ execute: crash })
    const runId = await ask(h.kit, 'scout')
    const run = await until(worker, runId, status('failed'))
    expect(run.error).toMatchObject({ code: 'INTERNAL_ERROR', step: 2 })
    await projectRun(h.kit, runId)
    const manifest = await storedObject(h.kit, 'scout', runId, 'manifest.json')
    expect(manifest).toMatchObject({ status: 'failed', error: { code: 'INTERNAL_ERROR', step: 2 } })
    const step = await storedObject(h.kit, 'scout', runId, 'steps/02-execute-agent.json')
    expect(step).toMatchObject({ status: 'failed', output: null })
    expect(step?.attempts).toHaveLength(4)
  })

  test('what a try said is kept when the time of the run is over before the next one', async () => {
    const worker = await h.worker({
      execute: async () => {
        await h.kit.db.query(
          sql`UPDATE run SET started_at = started_at - interval '601 s' WHERE status = 'running'`,
        )
        return crash()
      },
    })
    const runId = await ask(h.kit, 'scout')
    const run = await until(worker, runId, status('failed'))
    expect(run.error).toMatchObject({ code: 'AGENT_TIMEOUT', step: 2 })
    const [, execution] = await readSteps(h.kit.db, runId)
    expect(execution).toMatchObject({ status: 'failed', error: { code: 'AGENT_TIMEOUT' } })
    expect(execution?.attempts).toMatchObject([{ n: 1, error: { code: 'INTERNAL_ERROR' } }])
  })

  test('the budget is the run’s: when it is spent there is no further try', async () => {
    const worker = await h.worker({ execute: crash })
    const runId = await ask(h.kit, 'scout')
    await h.kit.db.query(sql`UPDATE run SET retries_used = ${RUN_RETRY_BUDGET - 1} WHERE run_id = ${runId}`)
    const run = await until(worker, runId, status('failed'))
    expect(run).toMatchObject({ retries_used: RUN_RETRY_BUDGET, error: { code: 'BUDGET_EXCEEDED' } })
  })

  test('output that does not fit, and a tool that refuses, are final', async () => {
    const bad = await h.worker({ execute: async () => ({ ...outputOf(), summary: '' }) })
    const first = await until(bad, await ask(h.kit, 'scout'), status('failed'))
    expect(first).toMatchObject({ retries_used: 0, error: { code: 'OUTPUT_INVALID' } })
    const denied = await h.worker({
      execute: async () => {
        throw new ToolFailure('TOOL_DENIED', 'no')
      },
    })
    const second = await until(denied, await ask(h.kit, 'scout'), status('failed'))
    expect(second).toMatchObject({ retries_used: 0, error: { code: 'TOOL_DENIED' } })
  })
})

describe('a Job that ends badly', () => {
  test('fails the run with NLM_UNAVAILABLE', async () => {
    const runId = await ask(h.kit, 'scout')
    const run = await until(h, runId, (r) => r.waiting_on !== null, { jobs: 'leave' })
    await transition(h.kit.db, {
      machine: 'job',
      event: 'operator_fail',
      actor: ORCHESTRATION_LAYER,
      where: sql`o.job_id = ${run.waiting_on?.id}`,
      set: sql`failure_kind = 'operator', finished_at = clock_timestamp()`,
    })
    const failed = await until(h, runId, status('failed'))
    expect(failed).toMatchObject({ error: { code: 'NLM_UNAVAILABLE', step: 2 }, retries_used: 0 })
  })

  test('does not outlive the run’s own limit: its step ends with it, and the wait is counted', async () => {
    const runId = await ask(h.kit, 'scout')
    await until(h, runId, (r) => r.waiting_on !== null, { jobs: 'leave' })
    await h.kit.db.query(
      sql`UPDATE run_call SET started_at = started_at - interval '590 s' WHERE run_id = ${runId} AND job_id IS NOT NULL`,
    )
    await h.kit.db.query(
      sql`UPDATE run SET started_at = started_at - interval '601 s' WHERE run_id = ${runId}`,
    )
    const failed = await until(h, runId, status('failed'), { jobs: 'leave' })
    expect(failed.error).toMatchObject({ code: 'AGENT_TIMEOUT' })
    await projectRun(h.kit, runId)
    expect(await storedObject(h.kit, 'scout', runId, 'steps/02-execute-agent.json')).toMatchObject({
      status: 'failed',
      error: { code: 'AGENT_TIMEOUT' },
      calls: [{ tool: 'search-notes' }, { tool: 'notebooklm-query', finished_at: null }],
    })
    const manifest = await storedObject(h.kit, 'scout', runId, 'manifest.json')
    expect(manifest?.wait_ms).toBeGreaterThanOrEqual(590_000)
  })
})

describe('an agent', () => {
  test('goes to error after three failed runs in a row, and says which', async () => {
    const worker = await h.worker({ execute: async () => ({ ...outputOf(), summary: '' }) })
    const ids: string[] = []
    for (let i = 0; i < 3; i++) {
      expect(await agent()).toMatchObject({ status: 'active', failed_in_row: i })
      const runId = await ask(h.kit, 'scout')
      await until(worker, runId, status('failed'))
      ids.unshift(runId)
    }
    expect(await agent()).toMatchObject({ status: 'error', error: { code: 'OUTPUT_INVALID', run_ids: ids } })
    await expect(ask(h.kit, 'scout')).rejects.toThrow('AGENT_NOT_ACTIVE')
    const state = await patiently(async () => {
      const found = await h.kit.store.get('agents/scout/state.json')
      return found && JSON.parse(new TextDecoder().decode(found.bytes))
    })
    expect(state).toMatchObject({ status: 'error', error: { run_ids: ids } })
  })

  test('is forgiven by one run that completes', async () => {
    const failing = await h.worker({ execute: async () => ({ ...outputOf(), summary: '' }) })
    await until(failing, await ask(h.kit, 'scout'), status('failed'))
    const fine = await h.worker({ execute: async () => outputOf() })
    await until(fine, await ask(h.kit, 'scout'), status('completed'))
    expect(await agent()).toMatchObject({ status: 'active', failed_in_row: 0 })
  })

  test('that was paused meanwhile does not run, and it is not held against it', async () => {
    const runId = await ask(h.kit, 'scout')
    await transition(h.kit.db, {
      machine: 'agent',
      event: 'pause',
      actor: OWNER,
      where: sql`o.slug = 'scout'`,
    })
    const run = await until(h, runId, status('failed'))
    expect(run.error).toMatchObject({ code: 'AGENT_NOT_ACTIVE', step: 1 })
    expect(await agent()).toMatchObject({ failed_in_row: 0 })
  })
})

describe('a cancel', () => {
  test('in phase 4 is taken while the executor works: no proposal, its Job cancelled', async () => {
    const worker = await h.worker({
      execute: async ({ tools }) => {
        await tools['search-notes']({ query: 'leeks', top_k: 1 })
        return new Promise(() => {})
      },
    })
    const runId = await ask(h.kit, 'scout')
    await until(worker, runId, (r) => r.current_step === 2)
    const asked = await cancelRun(h.kit, { run_id: runId, reason: 'changed my mind' }, OWNER)
    expect(asked).toMatchObject({ ok: true, value: { cancel_requested: true } })
    const again = await cancelRun(h.kit, { run_id: runId, reason: 'twice' }, OWNER)
    expect(again).toMatchObject({ ok: true, value: { unchanged: true } })
    const cancelled = await until(worker, runId, status('cancelled'))
    // Not by the step's own limit: that would have been a try that failed.
    expect(cancelled.retries_used).toBe(0)
    const { rows } = await h.kit.db.query(sql`SELECT 1 FROM proposal WHERE run_id = ${runId}`)
    expect(rows).toEqual([])
    const steps = await readSteps(h.kit.db, runId)
    expect(steps.map((s) => s.status)).toEqual(['completed', 'running'])
    const shown = (end: 'cancelled' | 'failed') =>
      stepViews({ ...cancelled, status: end }, steps).map((s) => s.status)
    expect(shown('cancelled')).toEqual(['completed', 'skipped', 'skipped', 'skipped'])
    expect(shown('failed')).toEqual(['completed', 'failed', 'skipped', 'skipped'])
  })

  test('of a suspended run ends it and its Job, and the backend is asked to stop the call', async () => {
    const runId = await ask(h.kit, 'scout')
    const run = await until(h, runId, (r) => r.waiting_on !== null, { jobs: 'leave' })
    const stopped: string[] = []
    h.kit.nlm = { cancel: async (id) => void stopped.push(id) }
    await call(h.kit, run.waiting_on?.id ?? '')
    await cancelRun(h.kit, { run_id: runId, reason: 'not needed' }, OWNER)
    await until(h, runId, status('cancelled'), { jobs: 'leave' })
    const { rows } = await h.kit.db.query(
      sql`SELECT status, failure_kind FROM job WHERE job_id = ${run.waiting_on?.id}`,
    )
    expect(rows).toEqual([{ status: 'FAILED', failure_kind: 'cancelled' }])
    expect(stopped).toEqual([run.waiting_on?.id])
  })

  test('is too late once step 03 has begun, and the run goes on', async () => {
    let release = () => {}
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    const worker = await h.worker({ failpoint: (name) => (name === 'step-3-begun' ? gate : undefined) })
    const runId = await ask(h.kit, 'scout')
    await until(worker, runId, (r) => r.current_step === 3)
    const asked = await cancelRun(h.kit, { run_id: runId, reason: 'too late' }, OWNER)
    expect(asked).toMatchObject({ ok: false, refusal: { code: 'RUN_FINALIZING' } })
    release()
    await until(worker, runId, status('completed'))
    const after = await cancelRun(h.kit, { run_id: runId, reason: 'later still' }, OWNER)
    expect(after).toMatchObject({
      ok: false,
      refusal: { code: 'INVALID_TRANSITION', details: { from: 'completed', allowed: [] } },
    })
  })
})

describe('the store', () => {
  test('down in the middle of a run: checkpoints wait in the ledger, nothing goes ahead of its object', async () => {
    const worker = await h.worker({ execute: async () => outputOf() })
    let down = true
    const { store } = worker.kit
    const faulty = new Proxy(store, {
      get(target, name) {
        if (name !== 'create') return Reflect.get(target, name).bind(target)
        return (key: string, bytes: Uint8Array, type?: string) =>
          down && key.includes('/steps/')
            ? Promise.reject(new StorageUnavailable('down'))
            : target.create(key, bytes, type)
      },
    })
    Object.assign(worker.kit, { store: faulty })
    const runId = await ask(h.kit, 'scout')
    await until(worker, runId, (r) => r.steps_completed === 1)
    await tick(worker)
    expect(await readRun(h.kit.db, runId)).toMatchObject({ steps_completed: 1, current_step: 1 })
    expect(await storedObject(h.kit, 'scout', runId, 'steps/01-load-context.json')).toBeNull()
    down = false
    await until(worker, runId, status('completed'))
  })

  test('a stale projection of status.json is refused, and nothing is written after the end', async () => {
    const worker = await h.worker({ execute: async () => outputOf() })
    const runId = await ask(h.kit, 'scout')
    const early = await readRun(h.kit.db, runId)
    const run = await until(worker, runId, status('completed'))
    await projectRun(h.kit, runId)
    if (!early) throw new Error('no run')
    expect(await putStatus(h.kit.store, early, statusObject(early, []))).toBe(false)
    const newer = { ...run, revision: run.revision + 1 }
    expect(await putStatus(h.kit.store, newer, statusObject(newer, []))).toBe(false)
    expect(await storedObject(h.kit, 'scout', runId, 'status.json')).toMatchObject({ revision: run.revision })
  })
})

describe('a checkpoint that does not fit', () => {
  test('an output changed behind the run’s back ends it instead of a guess', async () => {
    const runId = await ask(h.kit, 'scout')
    await until(h, runId, (r) => r.waiting_on !== null, { jobs: 'leave' })
    await h.kit.db.query(
      sql`UPDATE run_step SET output = output || '{"mode": "wide"}' WHERE run_id = ${runId} AND step = 1`,
    )
    const run = await until(h, runId, status('failed'))
    expect(run.error).toMatchObject({ code: 'CHECKPOINT_MISMATCH', step: 2 })
  })

  test.each([
    ['cannot be read', '{"run_id":'],
    ['is of another run', '{"run_id":"run_2026-01-01_000000_aaaaaa","status":"running","revision":1}'],
  ])('a status that %s ends it, and the next run of the agent goes on', async (_, text) => {
    const worker = await h.worker({ execute: async () => outputOf() })
    const runId = await ask(h.kit, 'scout')
    const key = `${runFolder('scout', runId)}/status.json`
    await h.kit.store.create(key, new TextEncoder().encode(text), 'application/json')
    const run = await until(worker, runId, status('failed'))
    expect(run).toMatchObject({ resumes: 0, error: { code: 'CHECKPOINT_MISMATCH', step: 1 } })
    await until(worker, await ask(h.kit, 'scout'), status('completed'))
  })

  test('an object that is ahead of a restored ledger is taken as the outcome', async () => {
    let executions = 0
    let release = () => {}
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    const worker = await h.worker({
      execute: async () => {
        executions++
        return outputOf({ summary: `Execution ${executions}.` })
      },
      failpoint: (name) => (name === 'objects-2' ? gate : undefined),
    })
    const runId = await ask(h.kit, 'scout')
    await until(worker, runId, (r) => r.steps_completed === 2)
    await patiently(() => storedObject(h.kit, 'scout', runId, 'steps/02-execute-agent.json'))
    await onLedger(h.ownerUrl, (owner) =>
      owner.transaction(async (tx) => {
        await tx.query(sql`ALTER TABLE run_step DISABLE TRIGGER run_step_edge`)
        await tx.query(
          sql`UPDATE run_step SET status = 'running', output = NULL, output_digest = NULL, finished_at = NULL WHERE run_id = ${runId} AND step = 2`,
        )
        await tx.query(sql`ALTER TABLE run_step ENABLE TRIGGER run_step_edge`)
        await tx.query(sql`UPDATE run SET steps_completed = 1, summary = NULL WHERE run_id = ${runId}`)
      }),
    )
    await expireLease(h.kit, runId)
    const other = await h.worker({ execute: crash })
    const run = await until(other, runId, status('completed'))
    expect(run.summary).toBe('Execution 1.')
    release()
  })
})

test('a stopping worker hands its run back, and another goes on at once', async () => {
  let release = () => {}
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  const worker = await h.worker({
    execute: async () => outputOf(),
    failpoint: (name) => (name === 'after-checkpoint-1' ? gate : undefined),
  })
  const runId = await ask(h.kit, 'scout')
  await until(worker, runId, (r) => r.steps_completed === 1)
  const stopped = worker.supervisor.stop()
  release()
  await stopped
  const other = await h.worker({ execute: async () => outputOf() })
  const run = await until(other, runId, status('completed'))
  expect(run.resumes).toBeGreaterThan(0)
})
