import { applyDue, recoverApplying } from '#server/apply/apply-due.ts'
import type { Engine } from '#server/apply/engine.ts'
import type { Loop } from './loop.ts'

const SCAN_MS = 2_000
const RECOVER_MS = 15_000

/** Applies what is due, and looks again exactly when the next hold ends ([apply#recovery]). */
export function applyLoop(engine: Engine): Loop {
  return {
    name: 'apply',
    everyMs: SCAN_MS,
    on: ['apply'],
    async tick(signal, ring) {
      const { handled, nextInMs } = await applyDue(engine, () => signal.aborted)
      if (nextInMs !== null && nextInMs < SCAN_MS) setTimeout(ring, nextInMs).unref()
      return handled > 0 ? 'again' : 'idle'
    },
  }
}

/** At start and every 15 s: finishes what a killed engine left behind and repeats a lost publication. */
export function applyRecoveryLoop(engine: Engine): Loop {
  return {
    name: 'apply-recovery',
    everyMs: RECOVER_MS,
    async tick() {
      return (await recoverApplying(engine)) > 0 ? 'again' : 'idle'
    },
  }
}
