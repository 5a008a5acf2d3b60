/** A model step of a run: its LLM Task, the wait, and what ends with it, on a real database with a worker that is scripted by its wire's use-cases. */
import sql from 'sql-template-tag'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createWorkerExecutor } from '#server/adapters/agent-executor/worker.ts'
import { createExecutorRegistry } from '#server/agents/executor-registry.ts'
import type { Database } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import { cancelUnawaited } from '#server/runtime/cancel-unawaited.ts'
import { requeueTask } from '#server/runtime/operate-task.ts'
import { servesModel } from '#server/runtime/serves-model.ts'
import { addWorker, completed, failure, lease, success } from '#server/runtime/testing/runtime-room.ts'
import { cancelRun } from './cancel-run.ts'
import { type RunRow, readCalls, readRun, readSteps } from './run-row.ts'
import {
  ask,
  expireLease,
  type Harness,
  OWNER,
  openHarness,
  status,
  storedObject,
  tick,
  until,
} from './testing/harness.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

const ANSWER = JSON.stringify({
  summary: 'Leeks and garlic.',
  proposals: [
    {
      ...{ action: 'propose-note', kind: 'note', target: 'notes/Answers/north.md' },
      ...{ diff: { type: 'create', text: '# North\n' }, summary: 'What grows in the north bed' },
      reasoning: 'The north bed holds leeks and garlic.',
      citations: [
        {
          source: 'Beds/North.md',
          lines: { from: 3, to: 3 },
          quote: 'The north bed holds leeks and garlic.',
        },
      ],
    },
  ],
})

let h: Harness
let db: Database
beforeEach(async () => {
  const executors = createExecutorRegistry({
    worker: createWorkerExecutor((model) => servesModel(db, model)),
  })
  h = await openHarness(['clerk'], undefined, { model: 'worker/garden', executors })
  db = h.kit.database
})
afterEach(() => h.close())

const tasksOf = async (runId: string): Promise<Row<'llm_task'>[]> => {
  const { rows } = await db.query<Row<'llm_task'>>(
    sql`SELECT * FROM llm_task WHERE run_id = ${runId} ORDER BY run_step::int`,
  )
  return rows
}
const waits = (run: RunRow) => run.waiting_on?.kind === 'llm_task'

/** Runs the agent until it waits for its task, which is returned. */
async function waitingRun() {
  await addWorker(db, 'orange', { labels: ['garden'], max: 4 })
  const runId = await ask(h.kit, 'clerk')
  const run = await until(h, runId, waits)
  const [task] = await tasksOf(runId)
  if (!task) throw new Error('no task')
  return { runId, run, task }
}

const answer = async (taskId: string, body: object) =>
  completed(
    { ...h.kit, store: h.kit.store, env: { RUNTIME_REQUIRE_LEASE: false } } as never,
    await lease(db, taskId),
    body,
  )

describe('a model step', () => {
  test('is an LLM Task for which the run waits without a holder, and its answer becomes a proposal', async () => {
    const { runId, run, task } = await waitingRun()
    expect(run).toMatchObject({ lease_holder: null, waiting_on: { kind: 'llm_task', id: task.task_id } })
    expect(task).toMatchObject({ status: 'queued', required_labels: ['garden'], desired_format: 'json' })
    expect(task.prompt).toContain('The north bed holds leeks and garlic.')
    // Nothing takes it up while the task goes on.
    await tick(h)
    expect((await readRun(db, runId))?.fence).toBe(run.fence)
    await answer(
      task.task_id,
      success(ANSWER, { metrics: { duration_ms: 3, tokens_used: 77, model: 'm-1' } }),
    )
    await until(h, runId, status('completed'))
    const manifest = await storedObject(h.kit, 'clerk', runId, 'manifest.json')
    expect(manifest).toMatchObject({ proposals_created: 1, model_used: 'm-1', tainted: true })
    const steps = await readSteps(db, runId)
    const made = (await tasksOf(runId))[0]?.artifact_id
    expect(steps[1]?.output).toMatchObject({ artifacts: [made], grounding: { status: 'grounded' } })
    const { rows } = await db.query(sql`SELECT 1 FROM proposal WHERE run_id = ${runId}`)
    expect(rows).toHaveLength(1)
  })

  test('is corrected once, by a task of its own', async () => {
    const { runId, task } = await waitingRun()
    await answer(task.task_id, success('{"summary":"x"}'))
    await until(h, runId, (run) => waits(run) && run.waiting_on?.id !== task.task_id)
    const [, second] = await tasksOf(runId)
    expect(second?.prompt).toContain('proposals: Invalid input')
    await answer(second?.task_id ?? '', success(ANSWER))
    await until(h, runId, status('completed'))
    expect((await readCalls(db, runId)).map((call) => call.tool)).toEqual([
      'llm-task',
      'llm-task',
      'create-proposal',
    ])
  })

  test('is made once, however often its run is taken up again before and after the answer', async () => {
    await addWorker(db, 'orange', { labels: ['garden'] })
    let crashes = 2
    const worker = await h.worker({
      failpoint: async (name) => {
        if ((name === 'task-created' || name === 'before-checkpoint-2') && crashes-- > 0)
          throw new Error('it broke')
      },
    })
    const runId = await ask(h.kit, 'clerk')
    await until(worker, runId, waits)
    const [task] = await tasksOf(runId)
    await answer(task?.task_id ?? '', success(ANSWER))
    await until(worker, runId, (run) => run.steps_completed >= 2 || run.retries_used > 1)
    await expireLease(h.kit, runId)
    await until(worker, runId, status('completed'))
    expect(await tasksOf(runId)).toHaveLength(1)
    const { rows } = await db.query(sql`SELECT 1 FROM proposal WHERE run_id = ${runId}`)
    expect(rows).toHaveLength(1)
  })

  test('ends the run with the reason when the task has had all its attempts', async () => {
    const { runId, task } = await waitingRun()
    await answer(task.task_id, failure('context window exceeded', { error_code: 'invalid_prompt' }))
    const run = await until(h, runId, status('failed'))
    expect(run.error).toMatchObject({ code: 'MODEL_UNAVAILABLE', step: 2 })
    expect(run.error?.message).toContain('context window exceeded')
  })

  test('fails at once where no worker of its label is registered, and makes nothing', async () => {
    await addWorker(db, 'plum', { labels: ['other'] })
    const runId = await ask(h.kit, 'clerk')
    const run = await until(h, runId, status('failed'))
    expect(run.error).toMatchObject({ code: 'MODEL_UNAVAILABLE', retryable: false })
    expect(await tasksOf(runId)).toEqual([])
  })
})

describe('what nobody waits for', () => {
  test('a cancelled run takes its task with it, also from the worker that has it', async () => {
    const { runId, task } = await waitingRun()
    const granted = await lease(db, task.task_id)
    expect(await cancelUnawaited({ db })).toBe(0)
    await cancelRun(h.kit, { run_id: runId, reason: 'not needed' }, OWNER)
    await until(h, runId, status('cancelled'))
    expect(await cancelUnawaited({ db })).toBe(1)
    expect(await cancelUnawaited({ db })).toBe(0)
    const { rows } =
      await db.query(sql`SELECT l.status, t.status AS task, t.error_code FROM task_lease l JOIN llm_task t USING (task_id)
      WHERE l.lease_id = ${granted.lease.id}`)
    expect(rows).toEqual([{ status: 'failed', task: 'failed', error_code: 'canceled' }])
  })

  test('a run that is out of time fails and takes its task with it, which nobody may requeue', async () => {
    const { runId, task } = await waitingRun()
    await db.query(
      sql`UPDATE run SET started_at = started_at - interval '601 seconds' WHERE run_id = ${runId}`,
    )
    const run = await until(h, runId, status('failed'))
    expect(run.error).toMatchObject({ code: 'AGENT_TIMEOUT' })
    expect(await cancelUnawaited({ db })).toBe(1)
    const again = await requeueTask(db, { taskId: task.task_id, reason: 'please' }, OWNER)
    expect(again).toMatchObject({ ok: false, refusal: { code: 'INVALID_TRANSITION' } })
    expect((await tasksOf(runId))[0]).toMatchObject({ status: 'failed', error_code: 'canceled' })
    await tick(h)
  })
})
