/** What the readings of the alert rules count ([alerts#rules]): from which age on, in which window, out of how many. */
export const MINUTE = 60
export const HOUR = 60 * MINUTE

/** A job that waits longer than this counts; so does a proposal that waits, or has this long to live. */
export const QUEUED_SECONDS = 5 * MINUTE
export const WAITING_SECONDS = 48 * HOUR
export const EXPIRING_SECONDS = 4 * HOUR
/** An LLM Task that is due for longer than this, without a worker that could take it, counts. */
export const UNTAKEN_SECONDS = 2 * MINUTE
export const FENCE_WINDOW_SECONDS = 10 * MINUTE
export const FENCE_QUIET_SECONDS = 30 * MINUTE
export const REFUSAL_WINDOW_SECONDS = 5 * MINUTE
/** The share of jobs that may fail: what is left of 95 % completion. */
export const ERROR_BUDGET = 0.05
export const LAST_RUNS = 10
