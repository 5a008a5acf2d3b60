import { setTimeout as pause } from 'node:timers/promises'
import { gardenFinding } from '#server/apply/garden-finding.ts'
import type { Services } from '#server/services.ts'
import { probeControlPlane } from '#server/system/probe-control-plane.ts'
import { type Finding, PROBE_SECONDS, probeHealth } from '#server/system/probe-health.ts'
import { probeNlmBackend } from '#server/system/probe-nlm-backend.ts'
import { probeSchema } from '#server/system/probe-schema.ts'
import type { Loop } from './loop.ts'

/** Other processes start beside this one and take a moment, on a busy machine a long one: until then nothing is recorded against one that does not answer yet. */
const STARTING_SECONDS = 30
const AGAIN_MS = 250

async function untilStarted(check: () => Promise<Finding>, signal: AbortSignal): Promise<void> {
  while (process.uptime() < STARTING_SECONDS) {
    const found = await check().catch(() => null)
    if (found?.status === 'healthy') return
    await pause(AGAIN_MS, undefined, { signal })
  }
}

/** Probes every component, every 15 s [system#health]. */
export function healthLoop(
  parts: Pick<Services, 'env' | 'db' | 'store' | 'garden' | 'orchestration'>,
  storeFault: () => string | null,
): Loop {
  return {
    name: 'health',
    everyMs: PROBE_SECONDS * 1_000,
    async tick(signal) {
      await probeHealth({
        ...parts,
        gardenState: () => gardenFinding(parts),
        nlmBackend: () => probeNlmBackend(parts.env),
        controlPlane: () => probeControlPlane(parts.env),
        untilStarted: (check) => untilStarted(check, signal),
        schema: () => probeSchema(parts.db),
        storeFault,
      })
      return 'idle'
    },
  }
}
