import type { AgentExecutor, AgentExecutors } from '#server/ports/agent-executor.ts'

/**
 * Executors by the first word of a definition's `model`: `extractive` itself, or what stands before the slash of `worker/…`,
 * `anthropic/…`. A run asks with the model of the definition that it pinned ([agents#executor]).
 */
export function createExecutorRegistry(byPrefix: Readonly<Record<string, AgentExecutor>>): AgentExecutors {
  const known = new Map(Object.entries(byPrefix))
  return { find: (model) => known.get(model.split('/', 1)[0] ?? '') ?? null }
}
