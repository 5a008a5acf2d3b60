/**
 * Step 02: one fresh execution of the agent over the pinned definition and context.
 *
 * The executor is a function without state and works through tool proxies alone. While it waits for a job it is discarded; the next
 * execution begins at the start and replays the journal. Its output is checked against the schema once more.
 */
import { ZodError } from 'zod'
import { contextSnapshot } from '#contracts/research.contract.ts'
import { RUN_ERROR_CODES, type RunErrorCode } from '#contracts/run.contract.ts'
import { type PinnedDefinition, readDefinition } from '#server/agents/read-definition.ts'
import { createToolProxies } from '#server/agents/tools/tool-proxies.ts'
import { agentOutput, ToolFailure } from '#server/ports/agent-executor.ts'
import { getVerified, sha256Hex } from '#server/ports/object-store.ts'
import { callJournal } from '../journal.ts'
import { parseObject } from '../project-run.ts'
import { type Fenced, RunFault, type RunParts } from '../run-parts.ts'
import { type CallRow, type RunRow, readCalls, type StepRow } from '../run-row.ts'
import { toolHandlers } from '../tool-handlers.ts'

/** The part of step 01's output that later steps need. */
export type ContextOutput = {
  definition: { version: string; revision: string; sha256: string }
  context_object: string
  context_digest: string
}
export const contextOutput = (steps: readonly StepRow[]): ContextOutput => {
  const output = steps.find((s) => s.step === 1)?.output
  if (!output) throw new RunFault('CHECKPOINT_MISMATCH', 'Step 01 has no checkpoint.')
  return output as unknown as ContextOutput
}

/** The definition that step 01 pinned, whatever the garden holds now. */
export async function pinnedDefinition(
  parts: Pick<RunParts, 'garden'>,
  run: RunRow,
  loaded: ContextOutput,
): Promise<PinnedDefinition> {
  const definition = await readDefinition(parts.garden, run.agent_slug, loaded.definition.revision)
  if (definition?.sha256 !== loaded.definition.sha256) {
    throw new RunFault('CHECKPOINT_MISMATCH', 'The pinned definition is not what step 01 read.')
  }
  return definition
}

export async function executeAgent(
  parts: RunParts,
  lease: Fenced,
  run: RunRow,
  loaded: ContextOutput,
): Promise<Record<string, unknown>> {
  const { definition } = await pinnedDefinition(parts, run, loaded)
  const executor = parts.executors.find(definition.model)
  if (!executor)
    throw new RunFault('MODEL_UNAVAILABLE', `The model ${definition.model} is not configured here.`)
  const bytes = await getVerified(parts.store, loaded.context_object, loaded.context_digest)
  if (!bytes) throw new RunFault('CHECKPOINT_MISMATCH', 'The context of step 01 is not in the store.')
  const context = contextSnapshot.parse(parseObject(bytes))
  const handlers = toolHandlers(parts, lease, run, { revision: loaded.definition.revision, context })
  const tools = createToolProxies({ definition, handlers, journal: callJournal(parts.db, lease) })
  const today = (run.started_at ?? run.requested_at).toISOString().slice(0, 10)
  const output = agentOutput.parse(
    await executor.execute({ definition, context, params: run.params, tools, today }),
  )
  return {
    ...output,
    model: output.engine.model,
    ...journalled(await readCalls(parts.db, lease.runId)),
  }
}

/** What the journal adds to the output: its calls, and what people answered, where the run asked. */
function journalled(calls: readonly CallRow[]) {
  const answers = calls.flatMap((c) => (c.tool === 'ask-person' && c.outcome?.ok ? [c.outcome.value] : []))
  return { tool_calls: toolCalls(calls), ...(answers.length > 0 ? { answers } : {}) }
}

function toolCalls(calls: readonly CallRow[]) {
  return calls.map((c) => ({
    tool: c.tool,
    ms: c.finished_at ? c.finished_at.getTime() - c.started_at.getTime() : null,
    ok: c.ok,
    digest: c.outcome?.ok ? c.outcome.outputDigest : sha256Hex(JSON.stringify(c.outcome)),
  }))
}

const isRunCode = (code: string): code is RunErrorCode =>
  (RUN_ERROR_CODES as readonly string[]).includes(code)

const runCodeOf = (code: string): RunErrorCode => {
  if (code === 'TOOL_NOT_CONFIGURED') return 'TOOL_DENIED'
  return isRunCode(code) ? code : 'INTERNAL_ERROR'
}

/** An executor's error as a fault of the run; null for any other error. */
export function executorFault(error: unknown): RunFault | null {
  if (error instanceof ToolFailure) {
    const code = runCodeOf(error.code)
    return new RunFault(code, error.message, error.retryable ? 'model' : null)
  }
  if (error instanceof ZodError) {
    const [first] = error.issues
    return new RunFault(
      'OUTPUT_INVALID',
      `The agent's output is invalid: ${first?.path.join('.')} ${first?.message}`,
    )
  }
  return null
}
