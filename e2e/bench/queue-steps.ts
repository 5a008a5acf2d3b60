/**
 * The steps of a job in the queue, known by what the statements of each say. `claim` is admission and the claim, `transaction` the beginnings
 * and ends of all transactions, `deliver` the consumer's own rows; `project`, the time between two of them, has `read to project` in it.
 */
const STEPS: readonly [step: string, text: RegExp][] = [
  ['claim', /job_admissible|job_heads|job_claim/],
  ['seal', /bloom_seal/],
  ['notify', /pg_notify/],
  ['ready', /context_key = o\.i_key/],
  ['commit', /INSERT INTO artifact|artifact_id = t\.reserved_artifact_id|poll_at = NULL/],
  ['read to project', /FROM projection_fault|SELECT (j|a|p|i)\.\*/],
  ['deliver', /\bconsumer\b|FROM event_seal s JOIN/],
  ['transaction', /^(BEGIN|COMMIT|ROLLBACK)/],
]

export const stepOf = (text: string): string =>
  STEPS.find(([, pattern]) => pattern.test(text))?.[0] ?? 'other'

/** What a consumer reads before it handles it, and what it writes afterwards. */
export const isReadToDeliver = (text: string): boolean => text.includes('FROM event_seal s JOIN')
export const isDelivered = (text: string): boolean => /UPDATE consumer SET seq/.test(text)

export type Steps = Record<string, { ms: number; count: number }>

/** Microseconds a job of each step. */
export const perJob = (steps: Steps, jobs: number): { unit: string; parts: Record<string, number> } => ({
  unit: 'µs/job in flight',
  parts: Object.fromEntries(
    Object.entries(steps)
      .toSorted(([, a], [, b]) => b.ms - a.ms)
      .map(([step, { ms }]) => [step, (ms * 1_000) / jobs]),
  ),
})
