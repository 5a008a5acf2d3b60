/**
 * What the failure of an attempt means for its LLM Task: the matrix of [runtime#failures]. Pure: a code or a text in, one row of the table out.
 */
export const TASK_ERROR_CODES = [
  'timeout',
  'rate_limited',
  'provider_error',
  'parse_error',
  'worker_crash',
  'node_unreachable',
  'budget_exceeded',
  'invalid_prompt',
  'invalid_context',
  'output_too_large',
  'canceled',
] as const
export type TaskErrorCode = (typeof TASK_ERROR_CODES)[number]

/** Where the next attempt may run: `same_once` is the same worker once more, and another one after that. */
type Where = 'same' | 'same_once' | 'another'
/** `delay` waits by the task's policy, `now` does not wait; without one the failure is final. */
type Row = { retry: 'delay' | 'now'; where: Where; counts: boolean } | { retry: null }

const FINAL: Row = { retry: null }

/** `counts`: whether the breaker of the worker counts it. */
export const FAILURES = {
  timeout: { retry: 'delay', where: 'same_once', counts: true },
  rate_limited: { retry: 'delay', where: 'another', counts: false },
  provider_error: { retry: 'delay', where: 'same_once', counts: true },
  parse_error: { retry: 'delay', where: 'same', counts: false },
  worker_crash: { retry: 'now', where: 'another', counts: true },
  node_unreachable: { retry: 'delay', where: 'another', counts: true },
  budget_exceeded: FINAL,
  invalid_prompt: FINAL,
  invalid_context: FINAL,
  output_too_large: FINAL,
  canceled: FINAL,
} as const satisfies Record<TaskErrorCode, Row>

/** What only the runtime can find: a node that says so of itself is not believed. */
const OURS: readonly TaskErrorCode[] = ['worker_crash', 'node_unreachable', 'canceled']

const BY_TEXT: readonly [RegExp, TaskErrorCode][] = [
  [/\b429\b|rate.?limit|retry[_ -]after/i, 'rate_limited'],
  [/timed out|timeout exceeded/i, 'timeout'],
]

/** The code of a failure that a node reports; one that sends none, or one that it may not, is known by its text. */
export function codeOfReport(report: { error_code?: string | null; error_message: string }): TaskErrorCode {
  const sent = TASK_ERROR_CODES.find((code) => code === report.error_code)
  if (sent && !OURS.includes(sent)) return sent
  const named = TASK_ERROR_CODES.find((code) => report.error_message.startsWith(code))
  if (named && !OURS.includes(named)) return named
  return BY_TEXT.find(([pattern]) => pattern.test(report.error_message))?.[1] ?? 'provider_error'
}

export type RetryPolicy = {
  backoff: 'exponential' | 'linear'
  base_delay_sec: number
  max_delay_sec: number
  jitter: boolean
}

const JITTER = 0.2

/**
 * Milliseconds before the execution that follows the `attempts`-th, at most the policy's `max_delay_sec`.
 * @param random from 0 to 1: the caller draws it
 */
export function delayMs(policy: RetryPolicy, attempts: number, random: number): number {
  const times = policy.backoff === 'linear' ? attempts : 2 ** (attempts - 1)
  const seconds = Math.min(policy.base_delay_sec * times, policy.max_delay_sec)
  const spread = policy.jitter ? 1 + JITTER * (2 * random - 1) : 1
  return Math.round(Math.min(seconds * spread, policy.max_delay_sec) * 1_000)
}

export type AfterFailure = { kind: 'retry'; retryAt: number } | { kind: 'dead' } | { kind: 'final' }

/** What follows a failure: another execution, the end for want of attempts, or the end because no repeat would help. */
export function afterFailure(
  code: TaskErrorCode,
  task: { attempts: number; maxAttempts: number; policy: RetryPolicy },
  at: { now: number; random: number; retryAfterSeconds?: number | undefined },
): AfterFailure {
  const row: Row = FAILURES[code]
  if (row.retry === null) return { kind: 'final' }
  if (task.attempts >= task.maxAttempts) return { kind: 'dead' }
  if (row.retry === 'now') return { kind: 'retry', retryAt: at.now }
  const delay = delayMs(task.policy, task.attempts, at.random)
  const rest = code === 'rate_limited' ? (at.retryAfterSeconds ?? 0) * 1_000 : 0
  return { kind: 'retry', retryAt: at.now + Math.max(delay, rest) }
}

/**
 * Whether the next execution has to leave this worker out.
 * @param wasHereBefore the execution before this one failed on the same worker
 */
export function excludesWorker(code: TaskErrorCode, wasHereBefore: boolean): boolean {
  const row: Row = FAILURES[code]
  if (row.retry === null || row.where === 'same') return false
  return row.where === 'another' || wasHereBefore
}

/** Whether a worker's breaker counts this failure against it. */
export function countsForBreaker(code: TaskErrorCode): boolean {
  const row: Row = FAILURES[code]
  return row.retry !== null && row.counts
}
