/**
 * Step 02: one fresh execution of the agent over the pinned definition and context (contract page 03, sections 3 and 3.1).
 *
 * The executor is a function without state and works through tool proxies alone. While it waits for a Job it is thrown away;
 * the next execution begins at the start and replays the journal. What it gives back is checked against the schema once more.
 */
import { ZodError } from 'zod'
import { contextSnapshot } from '#contracts/research.contract.ts'
import { RUN_ERROR_CODES, type RunErrorCode } from '#contracts/run.contract.ts'
import { type PinnedDefinition, readDefinition } from '#server/agents/read-definition.ts'
import { agentOutput, ToolFailure } from '#server/ports/agent-executor.ts'
import { getVerified, sha256Hex } from '#server/ports/object-store.ts'
import { journalOf } from '../journal.ts'
import { parseObject } from '../project-run.ts'
import { type Held, RunFault, type RunParts } from '../run-parts.ts'
import { type CallRow, type RunRow, readCalls, type StepRow } from '../run-row.ts'
import { toolHandlers } from '../tool-handlers.ts'

/** The part of step 01's output that later steps stand on. */
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
  held: Held,
  run: RunRow,
  loaded: ContextOutput,
): Promise<Record<string, unknown>> {
  const { definition } = await pinnedDefinition(parts, run, loaded)
  const bytes = await getVerified(parts.store, loaded.context_object, loaded.context_digest)
  if (!bytes) throw new RunFault('CHECKPOINT_MISMATCH', 'The context of step 01 is not in the store.')
  const context = contextSnapshot.parse(parseObject(bytes))
  const handlers = toolHandlers(parts, held, run, { revision: loaded.definition.revision, context })
  const tools = parts.doors.toolProxies({ definition, handlers, journal: journalOf(parts.db, held) })
  const today = (run.started_at ?? run.requested_at).toISOString().slice(0, 10)
  const output = agentOutput.parse(
    await parts.executor.execute({ definition, context, params: run.params, tools, today }),
  )
  return {
    ...output,
    model: output.engine.model,
    tool_calls: toolCalls(await readCalls(parts.db, held.runId)),
  }
}

function toolCalls(calls: readonly CallRow[]) {
  return calls.map((c) => ({
    tool: c.tool,
    ms: c.finished_at ? c.finished_at.getTime() - c.started_at.getTime() : null,
    ok: c.ok,
    digest:
      (c.outcome as { outputDigest?: string } | null)?.outputDigest ?? sha256Hex(JSON.stringify(c.outcome)),
  }))
}

const isRunCode = (code: string): code is RunErrorCode =>
  (RUN_ERROR_CODES as readonly string[]).includes(code)

/** What an executor threw, as a fault of the run; null for what is no fault of its own. */
export function executorFault(error: unknown): RunFault | null {
  if (error instanceof ToolFailure) {
    const code = isRunCode(error.code) ? error.code : 'INTERNAL_ERROR'
    return new RunFault(code, error.message, error.retryable ? 'model' : null)
  }
  if (error instanceof ZodError) {
    const [first] = error.issues
    return new RunFault(
      'OUTPUT_INVALID',
      `The output does not fit: ${first?.path.join('.')} ${first?.message}`,
    )
  }
  return null
}
