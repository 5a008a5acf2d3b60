import { z } from 'zod'
import * as run from '#contracts/run.contract.ts'
import * as commands from '#contracts/run-commands.contract.ts'
import { runCompareInput, runComparison } from '#contracts/run-comparison.contract.ts'
import { runTrace } from '#contracts/run-trace.contract.ts'
import type { Result } from '#domain/kernel/result.ts'
import { ok, refuse } from '#domain/kernel/result.ts'
import { digestOf } from '#server/auth/idempotency.ts'
import { type OperationContext, operations, read, write } from '#server/operations/operation.ts'
import { cancelRun } from './cancel-run.ts'
import { compareRuns } from './compare-runs.query.ts'
import { getRun } from './get-run.query.ts'
import { getRunObject } from './get-run-object.query.ts'
import { listRuns } from './list-runs.query.ts'
import { rerunRun } from './rerun-run.ts'
import { runAgent } from './run-agent.ts'
import { traceOf } from './run-trace.ts'

/**
 * The request's own token, or one of its Idempotency-Key: either makes a repeat give the same run. A key may hold any visible character
 * and a token may not, so a digest stands for the key.
 */
const requestToken = (input: { correlation_id?: string | undefined }, key: string | undefined) =>
  input.correlation_id ?? (key === undefined ? undefined : `key:${digestOf(key)}`)

async function detailOf(
  services: OperationContext['services'],
  runId: string,
): Promise<Result<z.infer<typeof run.runDetail>>> {
  const found = await getRun(services, runId)
  return found ? ok(found) : refuse({ code: 'NOT_FOUND', message: 'There is no such run.' })
}

export const runOperations = operations('runs', {
  request: write('run.request', {
    summary: 'Run an agent',
    rest: [
      'POST /api/v1/agents/{slug}/run',
      {
        at: 'POST /api/v1/agents/run',
        summary: 'Run an agent; slug in the body',
      },
    ],
    status: 202,
    input: commands.runRequestInput,
    output: commands.runRequested,
    // The engine gets the run, and the object store its status.json, after the commit.
    transaction: 'own',
    run: ({ services, caller, idempotencyKey }, input) =>
      runAgent(services, { ...input, correlation_id: requestToken(input, idempotencyKey) }, caller),
  }),
  list: read('run.read', {
    summary: 'List runs, newest first',
    rest: 'GET /api/v1/runs',
    input: run.runListInput,
    output: run.runPage,
    run: ({ services }, input) => listRuns(services, input),
  }),
  compare: read('run.read', {
    summary: 'Compare two runs of an agent',
    rest: 'GET /api/v1/runs/compare',
    input: runCompareInput,
    output: runComparison,
    run: ({ services }, input) => compareRuns(services, input),
  }),
  get: read('run.read', {
    summary: 'Get a run with its phases, steps, calls and results',
    rest: 'GET /api/v1/runs/{run_id}',
    input: commands.runIdInput,
    output: run.runDetail,
    run: ({ services }, { run_id }) => detailOf(services, run_id),
  }),
  trace: read('run.read', {
    summary: 'Get a run on its time axis',
    rest: 'GET /api/v1/runs/{run_id}/trace',
    trpc: false,
    input: commands.runIdInput,
    output: runTrace,
    run: async ({ services }, { run_id }) => {
      const found = await detailOf(services, run_id)
      return found.ok ? ok(traceOf(found.value)) : found
    },
  }),
  steps: read('run.read', {
    summary: 'List the steps of a run',
    rest: 'GET /api/v1/runs/{run_id}/steps',
    trpc: false,
    input: commands.runIdInput,
    output: z.array(run.runStepView),
    run: async ({ services }, { run_id }) => {
      const found = await detailOf(services, run_id)
      return found.ok ? ok(found.value.steps) : found
    },
  }),
  step: read('run.read', {
    summary: 'Get the stored output of a step',
    rest: 'GET /api/v1/runs/{run_id}/steps/{step}',
    trpc: false,
    input: commands.runStepInput,
    output: z.record(z.string(), z.unknown()),
    run: async ({ services }, { run_id, step }) => {
      const found = await getRunObject(services, { run_id, object: step })
      return found.ok ? ok(found.value.value) : found
    },
  }),
  rerun: write('run.rerun', {
    summary: 'Replay an ended run from a step',
    rest: 'POST /api/v1/runs/{run_id}/rerun',
    status: 202,
    input: commands.runRerunInput,
    output: commands.runRequested,
    // As with a request: the engine gets the run, and the object store its status.json, after the commit.
    transaction: 'own',
    run: ({ services, caller, idempotencyKey }, input) =>
      rerunRun(services, { ...input, correlation_id: requestToken(input, idempotencyKey) }, caller),
  }),
  cancel: write('run.cancel', {
    summary: 'Cancel a run before it persists results',
    rest: 'POST /api/v1/runs/{run_id}/cancel',
    input: commands.runCancelInput,
    output: commands.runCancelled,
    // The engine is told after the commit; cancelling twice changes nothing.
    transaction: 'own',
    run: ({ services, caller }, input) => cancelRun(services, input, caller),
  }),
})
