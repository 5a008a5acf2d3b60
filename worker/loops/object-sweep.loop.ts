import { sweepObjects } from '#server/objects/sweep-objects.ts'
import type { Services } from '#server/services.ts'
import type { Loop } from './loop.ts'

const SCAN_MS = 60_000

/** Does the hourly pass of the sweep when it is due; one worker at a time ([objects#sweep]). */
export function objectSweepLoop(parts: Pick<Services, 'db' | 'store'>, holder: string): Loop {
  return {
    name: 'object-sweep',
    everyMs: SCAN_MS,
    async tick(signal) {
      await sweepObjects(parts, { holder, signal })
      return 'idle'
    },
  }
}
