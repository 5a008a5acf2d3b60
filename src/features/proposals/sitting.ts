/** What a person decided in one sitting: from the first decision until half an hour passes without another. Pure. */
export const OUTCOMES = ['approved', 'rejected', 'snoozed', 'failed'] as const
export type Outcome = (typeof OUTCOMES)[number]

export type Sitting = {
  /** Milliseconds since the epoch: the first and the latest decision. */
  from: number
  to: number
  decisions: Readonly<Record<string, Outcome>>
}

const IDLE_MS = 30 * 60_000

/** The sitting that goes on at this time; null when there is none, or it is over. */
export const current = (sitting: Sitting | null, now: number): Sitting | null =>
  sitting && now - sitting.to <= IDLE_MS ? sitting : null

/** With a decision at this time; the latest one about a proposal counts. */
export function withDecision(
  sitting: Sitting | null,
  { id, outcome, at }: { id: string; outcome: Outcome; at: number },
): Sitting {
  const going = current(sitting, at) ?? { from: at, to: at, decisions: {} }
  return { ...going, to: at, decisions: { ...going.decisions, [id]: outcome } }
}

/** Without what was taken back; null when nothing is left. */
export function withoutDecision(sitting: Sitting | null, id: string): Sitting | null {
  if (!sitting || !(id in sitting.decisions)) return sitting
  const { [id]: _, ...decisions } = sitting.decisions
  return Object.keys(decisions).length > 0 ? { ...sitting, decisions } : null
}

/** An approval of the sitting that could not be applied; it is no decision, so the time stays. */
export function withFailure(sitting: Sitting | null, id: string): Sitting | null {
  if (sitting?.decisions[id] !== 'approved') return sitting
  return { ...sitting, decisions: { ...sitting.decisions, [id]: 'failed' } }
}

/** Fewer decisions than these, or a batch that was made at once, have no pace. */
const TIMED = { decisions: 5, ms: 10_000 }

/** `ms` from the first decision to the last; null where that says nothing. */
export type Tally = Record<Outcome, number> & { done: number; ms: number | null; failures: string[] }

export function tallyOf({ from, to, decisions }: Sitting): Tally {
  const all = Object.entries(decisions)
  const count = (of: Outcome) => all.filter(([, outcome]) => outcome === of).length
  return {
    done: all.length,
    ms: all.length >= TIMED.decisions && to - from >= TIMED.ms ? to - from : null,
    approved: count('approved'),
    rejected: count('rejected'),
    snoozed: count('snoozed'),
    failed: count('failed'),
    failures: all.filter(([, outcome]) => outcome === 'failed').map(([id]) => id),
  }
}

/** What the browser kept, when it has the shape of a sitting. */
export function asSitting(kept: unknown): Sitting | null {
  const { from, to, decisions } = (kept ?? {}) as Partial<Sitting>
  if (typeof from !== 'number' || typeof to !== 'number' || !decisions || typeof decisions !== 'object')
    return null
  const known = Object.entries(decisions).filter(([, outcome]) => OUTCOMES.includes(outcome))
  return known.length > 0 ? { from, to, decisions: Object.fromEntries(known) } : null
}
