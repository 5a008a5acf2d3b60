import { retainArtifacts } from '#server/retention/retain-artifacts.ts'
import type { Services } from '#server/services.ts'
import type { Loop } from './loop.ts'

const SCAN_MS = 600_000

/** Removes artifacts that are kept no longer, where that is turned on ([retention]). */
export function retentionLoop(parts: Pick<Services, 'db' | 'store' | 'log' | 'env'>): Loop {
  return {
    name: 'retention',
    everyMs: SCAN_MS,
    tick: async (signal) => ((await retainArtifacts(parts, { signal })) ? 'again' : 'idle'),
  }
}
