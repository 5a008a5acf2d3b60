import { type ObjectRead, type Protocol, perform, type WriteEffect } from './protocol-effects.ts'

/**
 * A conditional write whose outcome is never guessed ([leadership#unknown-outcomes]). Whatever is not a plain success is read back: the
 * object may hold what was written though the answer said otherwise. An object that nobody wrote since may be written again under the
 * same etag: of two such writes one at most takes effect, however late.
 */
export type WriteOutcome =
  | { outcome: 'applied'; etag: string }
  | { outcome: 'lost' }
  /** Nobody is known to have written since: this write may still take effect, and may be made again. */
  | { outcome: 'repeatable' }
  /** Somebody has written, perhaps upon this write: nothing more can be found out by writing. */
  | { outcome: 'unknown' }
export type Verdict = 'applied' | 'not_applied' | 'open'
export type ConditionalWrite = Omit<WriteEffect, 'effect'>

/** Writes once; `verdictOf` says whose an object is that somebody has written since. */
export function* writeOnce(
  write: ConditionalWrite,
  verdictOf: (read: ObjectRead) => Verdict,
): Protocol<WriteOutcome> {
  const written = yield* perform({ effect: 'write', ...write })
  if (written.answer === 'applied') return { outcome: 'applied', etag: written.etag }
  const read = yield* perform({ effect: 'read', object: write.object })
  if (read.found === 'unknown') return { outcome: 'repeatable' }
  const etag = read.found === 'object' ? read.etag : null
  if (etag === write.ifMatch) return { outcome: 'repeatable' }
  const verdict = verdictOf(read)
  if (verdict === 'applied' && etag !== null) return { outcome: 'applied', etag }
  return { outcome: verdict === 'not_applied' ? 'lost' : 'unknown' }
}

const MAX_ATTEMPTS = 4
/** The pause before something is asked of the store once more. */
export const PAUSE_SECONDS = 1

/** Writes until the outcome is known, or leaves it unknown. */
export function* compareAndSet(
  write: ConditionalWrite,
  verdictOf: (read: ObjectRead) => Verdict,
): Protocol<Exclude<WriteOutcome, { outcome: 'repeatable' }>> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    if (attempt > 1) yield* perform({ effect: 'wait', seconds: PAUSE_SECONDS })
    const outcome = yield* writeOnce(write, verdictOf)
    if (outcome.outcome !== 'repeatable') return outcome
  }
  return { outcome: 'unknown' }
}
