import type { Services } from '#server/composition/services.ts'
import { nlmHealth } from '#server/system/nlm-health.ts'
import { PROBE_SECONDS, probeHealth } from '#server/system/probe-health.ts'
import type { Loop } from './loop.ts'

/** Probes every component, every 15 s (page 10, section 2). */
export function healthLoop(parts: Pick<Services, 'env' | 'db' | 'store' | 'garden' | 'hints'>): Loop {
  return {
    name: 'health',
    everyMs: PROBE_SECONDS * 1_000,
    async tick() {
      await probeHealth({ ...parts, nlmHealth: () => nlmHealth(parts.env) })
      return 'idle'
    },
  }
}
