import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import {
  type AgentDefinition,
  type CallName,
  MODEL_CALL,
  PINNED_READS,
  proposedChange,
  type TOOLS_NOT_CONFIGURED,
  type ToolAnswer,
  type ToolCall,
  ToolFailure,
  type ToolHandlers,
  type ToolInput,
  type ToolJournal,
  type ToolOutcome,
  type ToolProxies,
} from '#server/ports/agent-executor.ts'

/**
 * The proxies through which an executor works ([agents#tools]).
 *
 * Every call gets the next number. It is refused when the definition does not name the tool, or when a proposal's action is not among its
 * safe outputs: enforced here, outside the executor, so that no text can add a right. A recorded outcome is replayed; another tool or
 * input at the same number is CHECKPOINT_MISMATCH. Pinned reads are asked again and must answer the same.
 *
 * Failure modes: ToolFailure with TOOL_DENIED, TOOL_NOT_CONFIGURED, BUDGET_EXCEEDED, CHECKPOINT_MISMATCH, OUTPUT_INVALID, or the tool's own code. WaitingForWork,
 * WaitingForAnswer and crashes pass through unrecorded, and so do failures that may pass, because a replay may ask again.
 */
const MAX_CALLS = 60

export type ToolParts = {
  definition: Pick<AgentDefinition, 'tools' | 'safe_outputs'>
  handlers: ToolHandlers
  journal: ToolJournal
  /** Milliseconds of a steady clock, for the duration that the journal keeps. */
  clock?: () => number
}

const digestOf = (value: unknown): string =>
  createHash('sha256')
    .update(canonicalize(value) ?? 'null')
    .digest('hex')

export function createToolProxies(parts: ToolParts): ToolProxies {
  const clock = parts.clock ?? (() => performance.now())
  let calls = 0
  let proposals = 0
  const propose = async (input: ToolInput<'create-proposal'>) => {
    assertSafe(parts.definition, input)
    return { index: proposals++ }
  }
  const ask = {
    ...parts.handlers,
    'create-proposal': propose,
    'read-memory': notConfigured('read-memory'),
    'propose-memory-update': notConfigured('propose-memory-update'),
    'read-drakon': notConfigured('read-drakon'),
  } as {
    [T in CallName]: (input: ToolInput<T>, call: ToolCall) => Promise<ToolAnswer<T>>
  }

  const proxy =
    <T extends CallName>(tool: T) =>
    async (input: ToolInput<T>): Promise<ToolAnswer<T>> => {
      const call: ToolCall = { index: calls++, tool, inputDigest: digestOf(input) }
      if (tool !== MODEL_CALL && !listed(parts.definition.tools, tool)) {
        throw new ToolFailure('TOOL_DENIED', `The definition does not list the tool ${tool}.`)
      }
      if (call.index >= MAX_CALLS)
        throw new ToolFailure('BUDGET_EXCEEDED', `The run made more than ${MAX_CALLS} tool calls.`)
      const known = await parts.journal.recall(call.index)
      if (known && (known.call.tool !== tool || known.call.inputDigest !== call.inputDigest)) {
        throw new ToolFailure(
          'CHECKPOINT_MISMATCH',
          `Call ${call.index} of ${tool} differs from the recorded one.`,
        )
      }
      if (known && !known.outcome.ok) throw failureOf(known.outcome)
      const again = tool === 'create-proposal' || PINNED_READS.includes(tool)
      if (known?.outcome.ok && !again) return known.outcome.value as ToolAnswer<T>
      return executeAndRecord({ journal: parts.journal, clock }, call, {
        run: () => ask[tool](input, call),
        known: known?.outcome,
      })
    }

  return {
    [MODEL_CALL]: proxy(MODEL_CALL),
    'notebooklm-query': proxy('notebooklm-query'),
    'read-notes': proxy('read-notes'),
    'search-notes': proxy('search-notes'),
    'read-context': proxy('read-context'),
    'create-proposal': proxy('create-proposal'),
    'ask-person': proxy('ask-person'),
    'read-memory': proxy('read-memory'),
    'propose-memory-update': proxy('propose-memory-update'),
    'read-drakon': proxy('read-drakon'),
  }
}

/** Tools that a definition may list and that this installation does not have: a recorded outcome, not a crash. */
const notConfigured = (tool: (typeof TOOLS_NOT_CONFIGURED)[number]) => async (): Promise<never> => {
  throw new ToolFailure('TOOL_NOT_CONFIGURED', `The tool ${tool} is not configured here.`)
}

/** A definition's other name of a tool. */
const ALIASES: Partial<Record<CallName, string>> = { 'propose-memory-update': 'write-memory' }
const listed = (tools: readonly string[], tool: CallName): boolean =>
  tools.includes(tool) || tools.includes(ALIASES[tool] ?? tool)

const failureOf = ({ code, message, retryable }: Extract<ToolOutcome, { ok: false }>) =>
  new ToolFailure(code, message, retryable)

/** Refuses what is no proposal, or whose action the agent may not make. */
function assertSafe(definition: ToolParts['definition'], input: unknown): void {
  const change = proposedChange.safeParse(input)
  if (!change.success)
    throw new ToolFailure('OUTPUT_INVALID', change.error.issues[0]?.message ?? 'The output is no proposal.')
  if (!definition.safe_outputs.includes(change.data.action)) {
    throw new ToolFailure('TOOL_DENIED', `${change.data.action} is not among the agent's safe outputs.`)
  }
}

type Recording = { journal: ToolJournal; clock: () => number }
type ToolRun<A> = { run: () => Promise<A>; known: ToolOutcome | undefined }

/** Runs the tool and records its answer; a read that was recorded before must answer the same. */
async function executeAndRecord<A>(
  { journal, clock }: Recording,
  call: ToolCall,
  toolRun: ToolRun<A>,
): Promise<A> {
  const { run, known } = toolRun
  const started = clock()
  const answer = await run().catch(async (error: unknown) => {
    if (!known && error instanceof ToolFailure && !error.retryable) {
      const { code, message, retryable } = error
      await journal.record(call, { ok: false, code, message, retryable, ms: clock() - started })
    }
    throw error
  })
  const outputDigest = digestOf(answer)
  if (known?.ok && known.outputDigest !== outputDigest) {
    throw new ToolFailure(
      'CHECKPOINT_MISMATCH',
      `Call ${call.index} of ${call.tool} answers differently than before.`,
    )
  }
  if (!known) {
    const value = PINNED_READS.includes(call.tool) ? {} : { value: answer }
    await journal.record(call, { ok: true, outputDigest, ms: clock() - started, ...value })
  }
  return answer
}
