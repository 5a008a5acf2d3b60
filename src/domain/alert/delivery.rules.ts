/**
 * How often a message is tried, and what ends it ([alerts#delivery]): pauses of 5 s, each twice the one before, at most an hour; ten repeats
 * or 24 hours. What the receiver refuses for good is not tried again.
 */
const FIRST_PAUSE_SECONDS = 5
const MAX_PAUSE_SECONDS = 3_600
export const MAX_ATTEMPTS = 11
export const MAX_AGE_SECONDS = 24 * 3_600
/** A process that died in an attempt is succeeded by another after this time; longer than an attempt may take. */
export const ATTEMPT_SECONDS = 60

export const CHANNELS = ['webhook', 'email'] as const
export type Channel = (typeof CHANNELS)[number]

/** What a message tells of; `test` is a person's own. */
export const MESSAGES = ['opened', 'escalated', 'closed', 'test'] as const
export type Message = (typeof MESSAGES)[number]

/** How an attempt ended. `later` may succeed with a repeat. */
export type Outcome =
  | { kind: 'delivered' }
  | { kind: 'later'; message: string; retryAfter?: number }
  | { kind: 'refused'; message: string }

/** The pause in seconds after this many attempts; a receiver that names a longer one is obeyed, up to an hour. */
export const pauseAfter = (attempts: number, retryAfter = 0): number =>
  Math.min(MAX_PAUSE_SECONDS, Math.max(FIRST_PAUSE_SECONDS * 2 ** Math.max(0, attempts - 1), retryAfter))

/** Seconds until the next attempt, or null when there is none: refused for good, too many attempts, or too old. */
export function nextAttempt(
  outcome: Exclude<Outcome, { kind: 'delivered' }>,
  { attempts, ageSeconds }: { attempts: number; ageSeconds: number },
): number | null {
  if (outcome.kind === 'refused' || attempts >= MAX_ATTEMPTS) return null
  const pause = pauseAfter(attempts, outcome.retryAfter)
  return ageSeconds + pause > MAX_AGE_SECONDS ? null : pause
}

/** Statuses with which a receiver asks for a repeat although they begin with 4. */
const REPEATABLE: readonly number[] = [408, 429]

/** What the status of a webhook's answer says of the attempt. */
export function outcomeOfStatus(status: number, retryAfter: number | undefined): Outcome {
  if (status >= 200 && status < 300) return { kind: 'delivered' }
  const message = `The receiver answered ${status}.`
  if (status >= 400 && status < 500 && !REPEATABLE.includes(status)) return { kind: 'refused', message }
  return { kind: 'later', message, ...(retryAfter === undefined ? {} : { retryAfter }) }
}

/** What an SMTP reply says: 5xx is a refusal for good, anything else may pass. */
export function outcomeOfReply(code: number | undefined, message: string): Outcome {
  return code !== undefined && code >= 500 ? { kind: 'refused', message } : { kind: 'later', message }
}
