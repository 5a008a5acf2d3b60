import { setImmediate as comeRound, setTimeout as pause } from 'node:timers/promises'

/**
 * How long who serves waits for what takes as long as it takes, in milliseconds ([garden#reading]): a request for the parser and for the
 * index of the search, and others for their turn while texts are read in the process that serves.
 */
export const PATIENCE_MS = 600
const TURN_MS = 2

/** Whether this ended within the time; what has ended already does, even if there is no time left. */
export async function endsWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const late = new AbortController()
  const waited = pause(Math.max(0, ms), false, { signal: late.signal }).catch(() => false)
  return Promise.race([work.then(() => true), waited]).finally(() => late.abort())
}

/** Asked between small pieces of work: gives others their turn when these have taken long enough together. */
export function takingTurns(): () => Promise<void> | undefined {
  let began = performance.now()
  return () => {
    if (performance.now() - began < TURN_MS) return undefined
    return comeRound().then(() => {
      began = performance.now()
    })
  }
}
