import {
  type AgentDefinition,
  type AgentExecutor,
  type AgentOutput,
  agentOutput,
  type ExecutorInput,
  type Task,
} from '#server/ports/agent-executor.ts'
import { EXTRACTIVE_ENGINE } from '#server/retrieval/research-engine.ts'

/**
 * The executor of agents with the model `extractive`: no language model; its tasks are retrieval and link analysis by code.
 *
 * It holds nothing between runs and is deterministic, so the pipeline may run it again from the journal at any time. Everything it reads
 * comes from notes, so every outcome is tainted. It uses no tokens of a model.
 *
 * Failure modes: DEFINITION_INVALID for a task that it does not know, and those of the tools.
 */
export function createExtractiveExecutor(
  findTask: (definition: Pick<AgentDefinition, 'slug' | 'task'>) => Task,
): AgentExecutor {
  return { engine: EXTRACTIVE_ENGINE, execute: (input) => execute(findTask, input) }
}

async function execute(
  findTask: Parameters<typeof createExtractiveExecutor>[0],
  input: ExecutorInput,
): Promise<AgentOutput> {
  const result = await findTask(input.definition)(input)
  return agentOutput.parse({
    ...result,
    memory_updates: [],
    logic_updates: [],
    usage: { input: 0, output: 0 },
    engine: EXTRACTIVE_ENGINE,
    tainted: true,
  })
}
