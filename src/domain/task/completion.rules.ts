/** What a worker's report of a task leads to, in the order of [runtime#completion]; its shape and size are checked before. */
import { codeOfReport, type TaskErrorCode } from './failure.rules.ts'
import { type Claim, type ClaimContext, claimHolds } from './lease-claim.rules.ts'
import { envelopeOf, parsed } from './program-envelope.rules.ts'
import { LEASED_TASK_STATES, type TaskState } from './task.machine.ts'

export const OUTPUT_FORMATS = ['text', 'json', 'markdown'] as const
export type OutputFormat = (typeof OUTPUT_FORMATS)[number]

/** A completion that was accepted before, and under which lease. */
export type Accepted = { leaseId: string; digest: string }

export type Standing = {
  state: TaskState
  /** The lease that the caller shows; null where it shows none. */
  shownLeaseId: string | null
  digest: string
  accepted: Accepted | null
}

export type Judgement =
  | { kind: 'accept' }
  /** The same once more: the stored answer is given again. */
  | { kind: 'repeat' }
  /** Another report after the one that counted, or of a task that nobody works on. */
  | { kind: 'refuse'; code: 'INVALID_TRANSITION' | 'FENCE_STALE' }

export function judgeCompletion(standing: Standing, claim: Claim, context: ClaimContext): Judgement {
  const { state, shownLeaseId, digest, accepted } = standing
  const states: readonly TaskState[] = LEASED_TASK_STATES
  const isLeased = states.includes(state)
  // Who shows no lease can mean an earlier report only while nobody works on the task anew.
  const means = shownLeaseId ?? (isLeased ? null : accepted?.leaseId)
  if (accepted && accepted.leaseId === means)
    return accepted.digest === digest ? { kind: 'repeat' } : { kind: 'refuse', code: 'INVALID_TRANSITION' }
  if (shownLeaseId === null && !isLeased) return { kind: 'refuse', code: 'INVALID_TRANSITION' }
  return isLeased && claimHolds(claim, context) ? { kind: 'accept' } : { kind: 'refuse', code: 'FENCE_STALE' }
}

export type Report = {
  status: 'success' | 'error'
  output: string | null
  error_message: string | null
  error_code?: string | null
  tokens_used: number | null
}

export type Outcome =
  | { kind: 'completed'; output: string; tokensUsed: number | null }
  | { kind: 'failed'; code: TaskErrorCode; message: string; tokensUsed: number | null }

/** What the report says of the attempt: the bare answer, or a failure by the matrix. */
export function outcomeOf(report: Report, format: OutputFormat): Outcome {
  if (report.status === 'error') return failed(report, report.error_message ?? '', report.tokens_used)
  const envelope = envelopeOf(report.output ?? '')
  const tokensUsed = report.tokens_used ?? envelope?.tokens ?? null
  const output = envelope ? envelope.text : (report.output ?? '')
  if (envelope?.isError) return failed({ error_code: null }, output, tokensUsed)
  if (format !== 'json') return { kind: 'completed', output, tokensUsed }
  const bare = withoutCodeFence(output)
  if (isJson(bare)) return { kind: 'completed', output: bare, tokensUsed }
  return { kind: 'failed', code: 'parse_error', message: 'The output is not JSON.', tokensUsed }
}

function failed(report: { error_code?: string | null }, message: string, tokensUsed: number | null): Outcome {
  const code = codeOfReport({ error_code: report.error_code ?? null, error_message: message })
  return { kind: 'failed', code, message, tokensUsed }
}

/** One fence around the whole, with or without the name of a language. */
function withoutCodeFence(text: string): string {
  return /^\s*```[a-z]*\r?\n([\s\S]*?)\r?\n```\s*$/i.exec(text)?.[1] ?? text
}

const isJson = (text: string): boolean => parsed(text) !== undefined
