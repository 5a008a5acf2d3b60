/**
 * A model step of step 02: an LLM Task, whose id follows from the run and the call. It is made in one transaction with the journal's line, and until it has
 * ended the call throws WaitingForWork, which suspends the run ([runs#how-a-run-proceeds]); a replay finds the task and makes no second one.
 *
 *   completed              its answer, read from the artifact
 *   dead, failed for good  ToolFailure: the task has had all its attempts, so the step has none
 *   nobody could take it   ToolFailure MODEL_UNAVAILABLE before anything is made
 *
 * Once its run has ended, whatever way, the task is cancelled (server/runtime/cancel-unawaited.ts).
 */
import sql from 'sql-template-tag'
import { llmResultContent } from '#contracts/artifact.contract.ts'
import { taskRequest } from '#contracts/llm-task.contract.ts'
import type { RunErrorCode } from '#contracts/run.contract.ts'
import { ORCHESTRATION_LAYER } from '#domain/authority/caller.ts'
import type { TaskErrorCode } from '#domain/task/failure.rules.ts'
import { labelOfModel } from '#domain/task/model.rules.ts'
import { taskMachine } from '#domain/task/task.machine.ts'
import type { Row } from '#server/ledger/rows.ts'
import {
  isServed,
  type ModelAnswer,
  type ModelQuestion,
  type ToolCall,
  ToolFailure,
  WaitingForWork,
} from '#server/ports/agent-executor.ts'
import { getVerified } from '#server/ports/object-store.ts'
import { createTask } from '#server/runtime/create-task.ts'
import { recordWait } from './journal.ts'
import { parseObject } from './project-run.ts'
import { taskIdOfCall } from './run-ids.ts'
import type { Fenced, RunParts } from './run-parts.ts'
import type { RunRow } from './run-row.ts'

/** Seconds of one attempt, so that another one still fits into the run's limit. */
const TASK_SECONDS = 240
const URGENT = 5

type Asked = { input: ModelQuestion; call: ToolCall }
type TaskLine = Row<
  'llm_task',
  'task_id' | 'status' | 'ended_at' | 'error_code' | 'last_error' | 'artifact_id'
>

export async function askModel(
  parts: RunParts,
  lease: Fenced,
  run: RunRow,
  { input, call }: Asked,
): Promise<ModelAnswer> {
  const taskId = taskIdOfCall(run.run_id, call.index)
  const task = await readTask(parts, taskId)
  if (!task) await ask(parts, lease, run, { input, call, taskId })
  if (!task || task.ended_at === null) throw new WaitingForWork({ kind: 'llm_task', id: taskId })
  if (task.status === taskMachine.events.succeed.to) return answerOf(parts, task)
  throw failureOf(task)
}

async function readTask({ db }: Pick<RunParts, 'db'>, taskId: string): Promise<TaskLine | null> {
  const { rows } = await db.query<TaskLine>(
    sql`SELECT task_id, status, ended_at, error_code, last_error, artifact_id FROM llm_task WHERE task_id = ${taskId}`,
  )
  return rows[0] ?? null
}

async function ask(
  parts: RunParts,
  lease: Fenced,
  run: RunRow,
  { input, call, taskId }: Asked & { taskId: string },
): Promise<void> {
  const label = labelOfModel(input.model)
  if (label === null || !(await isServed(parts.executors, input.model)))
    throw new ToolFailure(
      'MODEL_UNAVAILABLE',
      `No Worker Node is registered that could answer for ${input.model}.`,
    )
  const request = taskRequest.safeParse({
    context_id: `agents/${run.agent_slug}`,
    agent_slug: run.agent_slug,
    prompt: input.prompt,
    desired_format: 'json',
    priority: run.priority === 'high' ? URGENT : 0,
    policy: { timeout_sec: TASK_SECONDS, required_labels: label === '*' ? [] : [label] },
  })
  if (!request.success)
    throw new ToolFailure('BUDGET_EXCEEDED', `The prompt cannot be sent: ${request.error.issues[0]?.message}`)
  await parts.db.transaction(async (tx) => {
    await recordWait(tx, lease, call, { kind: 'llm_task', id: taskId })
    const askedBy = { taskId, runId: run.run_id, step: String(call.index) }
    await createTask(tx, request.data, ORCHESTRATION_LAYER, askedBy)
  })
  await parts.failpoint?.('task-created')
}

/** The artifact's document, verified by its digest. */
async function answerOf(parts: RunParts, { task_id, artifact_id }: TaskLine): Promise<ModelAnswer> {
  const { rows } = await parts.db.query<Row<'artifact', 'object_key' | 'content_sha256'>>(
    sql`SELECT object_key, content_sha256 FROM artifact WHERE artifact_id = ${artifact_id}`,
  )
  const bytes = rows[0] ? await getVerified(parts.store, rows[0].object_key, rows[0].content_sha256) : null
  if (!bytes || artifact_id === null) throw new Error(`the answer of the task ${task_id} is not in the store`)
  const { output, metrics } = llmResultContent.parse(parseObject(bytes).content)
  return { task_id, artifact_id, output, tokens_used: metrics.tokens_used, model: metrics.model }
}

const CODES: Partial<Record<TaskErrorCode, RunErrorCode>> = {
  parse_error: 'OUTPUT_INVALID',
  output_too_large: 'OUTPUT_INVALID',
  budget_exceeded: 'BUDGET_EXCEEDED',
}

function failureOf({ task_id, error_code, last_error }: TaskLine): ToolFailure {
  const why = last_error ? `: ${last_error}` : '.'
  const code = (error_code && CODES[error_code]) ?? 'MODEL_UNAVAILABLE'
  return new ToolFailure(code, `The LLM Task ${task_id} ended without an answer${why}`)
}
