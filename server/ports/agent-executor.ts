import { z } from 'zod'
import { byteLength, type ContextSnapshot, grounding, lineRange } from '#contracts/research.contract.ts'
import { QUESTION_LIMITS } from '#domain/run/question.rules.ts'
import { formFault, proposedDiff, proposedTags } from './proposed-form.ts'

/**
 * The port behind which an agent runs [adapters#agent-executor].
 *
 * Design: an executor is an async function without state. It gets the pinned definition and context and works through tool proxies alone.
 * Every tool call has a number and the digest of its input; its outcome is journalled before it is used. A call whose answer is not there
 * yet throws `WaitingForWork` or `WaitingForAnswer`: the pipeline lets the executor go, and later runs it again from the start; recorded outcomes are replayed,
 * so the function comes to the same place without asking twice. An executor must therefore be deterministic, and must not catch
 * either. A language model is asked in the same way: the call `llm-task` is an LLM Task, and no text that it answers can name a right.
 *
 * Failure modes: `ToolFailure` (a tool answered with an error; its code is a run error code), `OutputInvalid`
 * (what the executor made does not fit the schema below). Everything else is a crash, which the pipeline may retry.
 */
export const TOOLS = [
  'notebooklm-query',
  'read-notes',
  'search-notes',
  'read-context',
  'create-proposal',
  'ask-person',
  'read-memory',
  'propose-memory-update',
  'read-drakon',
] as const
export type ToolName = (typeof TOOLS)[number]
/** The call by which an executor asks a language model; no tool, so that no definition lists it. */
export const MODEL_CALL = 'llm-task'
export type CallName = ToolName | typeof MODEL_CALL

/**
 * Calls whose answer stays where it is, at a pinned revision or in an artifact: a replay reads it again and only compares digests, so the journal need not
 * hold whole notes and answers.
 */
export const PINNED_READS: readonly CallName[] = ['read-notes', 'search-notes', 'read-context', MODEL_CALL]

/** A citation of a proposal: `quote` is verbatim text of `lines` of `source` at `source_revision`. */
export const proposedCitation = z
  .object({
    source: z.string().min(1),
    lines: lineRange,
    quote: z.string().min(1),
    source_revision: z.string().min(1),
  })
  .strict()
export type ProposedCitation = z.infer<typeof proposedCitation>

/**
 * A proposal that cites in this form; `target` is an address such as `notes/<garden path>`. `propose-tag` says which tags it adds and removes,
 * every other action how the text changes.
 */
export const changeCiting = <C extends z.ZodType>(citation: C) =>
  z
    .object({
      action: z.enum(['propose-edit', 'propose-note', 'propose-tag', 'propose-summary', 'propose-comment']),
      kind: z.enum(['note', 'comment']).optional(),
      target: z.string().min(1).max(1100),
      diff: proposedDiff.optional(),
      changes: z
        .array(z.object({ path: z.string(), diff: proposedDiff }).strict())
        .min(1)
        .max(20)
        .optional(),
      add: proposedTags.optional(),
      remove: proposedTags.optional(),
      summary: z.string().min(1).max(200),
      reasoning: z.string().min(1).max(8000),
      citations: z.array(citation).max(100),
    })
    .strict()
    .superRefine((p, context) => {
      const message = formFault(p)
      if (message) context.addIssue({ code: 'custom', message })
    })

/** One proposal as an executor makes it. */
export const proposedChange = changeCiting(proposedCitation)
export type ProposedChange = z.infer<typeof proposedChange>

export const OUTPUT_TOKEN_LIMIT = 8000
export const OUTPUT_PROPOSAL_LIMIT = 20
/** The token estimate: UTF-8 bytes divided by four, rounded up. */
export const estimateTokens = (text: string): number => Math.ceil(byteLength(text) / 4)

export const agentOutput = z
  .object({
    summary: z.string().min(1).max(2000),
    proposals: z.array(proposedChange).max(OUTPUT_PROPOSAL_LIMIT),
    memory_updates: z.array(z.unknown()).max(0),
    logic_updates: z.array(z.unknown()).max(0),
    grounding,
    usage: z.object({ input: z.number().int().min(0), output: z.number().int().min(0) }).strict(),
    jobs: z.array(z.uuid()),
    artifacts: z.array(z.string()),
    engine: z.object({ id: z.string(), model: z.string().nullable(), version: z.string() }).strict(),
    tainted: z.boolean(),
  })
  .strict()
  .refine(
    (o) => estimateTokens(JSON.stringify(o)) <= OUTPUT_TOKEN_LIMIT,
    `is above ${OUTPUT_TOKEN_LIMIT} tokens`,
  )
export type AgentOutput = z.infer<typeof agentOutput>
/** What a task of an executor without a model returns; the executor adds engine, taint and usage. */
export type TaskResult = Pick<AgentOutput, 'summary' | 'proposals' | 'grounding' | 'jobs' | 'artifacts'>
export type Task = (input: ExecutorInput) => Promise<TaskResult>

/** What the executor may know of `_agent.md` at the pinned revision. */
export type AgentDefinition = {
  slug: string
  version: string
  model: string
  tools: readonly string[]
  safe_outputs: readonly string[]
  max_steps: number
  /** The task of an executor without a model; null where the instructions are prose alone. */
  task: string | null
  body: string
}

/** What an agent asks of a person; without a default the run fails when nobody answers. */
export const personQuestion = z
  .object({
    text: z.string().trim().min(1).max(QUESTION_LIMITS.textChars),
    choices: z
      .array(z.string().trim().min(1).max(QUESTION_LIMITS.choiceChars))
      .min(QUESTION_LIMITS.minChoices)
      .max(QUESTION_LIMITS.maxChoices)
      .refine((all) => new Set(all).size === all.length, 'must differ')
      .optional(),
    default: z.string().trim().min(1).max(QUESTION_LIMITS.answerChars).optional(),
    expires_in_hours: z.number().int().min(1).max(QUESTION_LIMITS.maxHours).optional(),
  })
  .strict()
export type PersonQuestion = z.infer<typeof personQuestion>
/** Text that a person gave, or the default: data, never an instruction. `choice` counts the offered answers from 1. */
export type PersonAnswer = {
  question_id: string
  question: string
  text: string
  choice: number | null
  by: { kind: 'person'; identity: string } | { kind: 'default' }
}

/** `model` is the definition's: it says which workers may answer. */
export type ModelQuestion = { model: string; prompt: string }
/** The model's answer as text, JSON by the form that was asked for. Data, never an instruction to this system. */
export type ModelAnswer = {
  task_id: string
  artifact_id: string
  output: string
  /** Input and output together, where the worker counts them. */
  tokens_used: number | null
  model: string | null
}

export type NoteText = { path: string; revision: string; text: string }
export type NoteHit = {
  score: number
  raw_score: number
  file: string
  lines: { from: number; to: number }
  excerpt: string
  revision: string
}

/**
 * Input and answer of every tool. Paths are garden paths. `read-notes` without `paths` reads all notes the agent may see, and of one beyond the
 * parser's budget of bytes the beginning alone ([garden#budgets]); asked for by its path it is read whole.
 */
export type ToolContract = {
  [MODEL_CALL]: { input: ModelQuestion; answer: ModelAnswer }
  'notebooklm-query': {
    input: {
      question: string
      sources?: { ref: string }[]
      max_sections?: number
      language?: 'uk' | 'en' | 'ru'
    }
    answer: { job_id: string; artifact_id: string; content: unknown; sources: unknown; grounding: unknown }
  }
  'read-notes': { input: { paths?: string[] }; answer: { revision: string; notes: NoteText[] } }
  'search-notes': {
    input: { query: string; top_k: number }
    answer: { results: NoteHit[]; index_revision: string }
  }
  'read-context': { input: Record<string, never>; answer: ContextSnapshot }
  'create-proposal': { input: ProposedChange; answer: { index: number } }
  'ask-person': { input: PersonQuestion; answer: PersonAnswer }
  'read-memory': { input: Record<string, unknown>; answer: never }
  'propose-memory-update': { input: Record<string, unknown>; answer: never }
  'read-drakon': { input: Record<string, unknown>; answer: never }
}
/** Tools of a definition that nothing stands behind yet: a call ends in ToolFailure TOOL_NOT_CONFIGURED. */
export const TOOLS_NOT_CONFIGURED = ['read-memory', 'propose-memory-update', 'read-drakon'] as const
type Configured = Exclude<CallName, (typeof TOOLS_NOT_CONFIGURED)[number]>
export type ToolInput<T extends CallName> = ToolContract[T]['input']
export type ToolAnswer<T extends CallName> = ToolContract[T]['answer']
/** What the pipeline implements: asks the real thing. `notebooklm-query` and `llm-task` throw `WaitingForWork` until their Job or LLM Task has ended, `ask-person` `WaitingForAnswer` until its question is closed. */
export type ToolHandlers = {
  [T in Exclude<Configured, 'create-proposal'>]: (
    input: ToolInput<T>,
    call: ToolCall,
  ) => Promise<ToolAnswer<T>>
}
export type ToolProxies = { [T in CallName]: (input: ToolInput<T>) => Promise<ToolAnswer<T>> }

/** One call, numbered from 0 in the order of the run; the key of the journal with (run, step). */
export type ToolCall = { index: number; tool: CallName; inputDigest: string }
export type ToolOutcome =
  | { ok: true; outputDigest: string; ms: number; value?: unknown }
  | { ok: false; code: string; message: string; retryable: boolean; ms: number }

/** The journal of step 02. `recall` gives the recorded outcome of call `index` with its tool and input digest, if there is one. */
export type ToolJournal = {
  recall(index: number): Promise<{ call: ToolCall; outcome: ToolOutcome } | undefined>
  record(call: ToolCall, outcome: ToolOutcome): Promise<void>
}

/** What a run may wait for without a holder. */
export type AwaitedWork = { kind: 'job' | 'llm_task'; id: string }

/** Thrown through the executor while work that the run asked for goes on; never recorded as an outcome. */
export class WaitingForWork extends Error {
  readonly work: AwaitedWork
  constructor(work: AwaitedWork) {
    super(`waiting for ${work.kind} ${work.id}`)
    this.name = 'WaitingForWork'
    this.work = work
  }
}

/** Thrown through the executor while a question that the run asked is open; never recorded as an outcome. */
export class WaitingForAnswer extends Error {
  readonly questionId: string
  constructor(questionId: string) {
    super(`waiting for an answer to ${questionId}`)
    this.name = 'WaitingForAnswer'
    this.questionId = questionId
  }
}

/** A tool's refusal or failure, with a run error code. */
export class ToolFailure extends Error {
  readonly code: string
  readonly retryable: boolean
  constructor(code: string, message: string, retryable = false) {
    super(message)
    this.name = 'ToolFailure'
    this.code = code
    this.retryable = retryable
  }
}

export type ExecutorInput = {
  definition: AgentDefinition
  context: ContextSnapshot
  params: Readonly<Record<string, unknown>>
  tools: ToolProxies
  /** The day of the run, `YYYY-MM-DD`, given so that a replay writes the same text. */
  today: string
}

/** The executors of this installation. */
export interface AgentExecutors {
  /** The executor of a definition's `model`; null when none is configured, which is MODEL_UNAVAILABLE. */
  find(model: string): AgentExecutor | null
}

/** Whether somebody who could answer for the model is known here, be it asleep; false is MODEL_UNAVAILABLE. */
export const isServed = async (executors: AgentExecutors, model: string): Promise<boolean> => {
  const executor = executors.find(model)
  return executor !== null && ((await executor.serves?.(model)) ?? true)
}

export interface AgentExecutor {
  /** The engine's label, also shown on every outcome. */
  readonly engine: { id: string; model: string | null; version: string }
  /** Whether the model has somebody to answer for it; absent where the executor needs nobody. */
  serves?(model: string): Promise<boolean>
  /** Runs the agent once; rejects with WaitingForWork, WaitingForAnswer, ToolFailure, or a ZodError when the output does not fit. */
  execute(input: ExecutorInput): Promise<AgentOutput>
}
