import { gardenFinding } from '#server/apply/garden-finding.ts'
import type { Services } from '#server/services.ts'
import { probeControlPlane } from '#server/system/probe-control-plane.ts'
import { PROBE_SECONDS, probeHealth } from '#server/system/probe-health.ts'
import { probeNlmBackend } from '#server/system/probe-nlm-backend.ts'
import { probeSchema } from '#server/system/probe-schema.ts'
import type { Loop } from './loop.ts'

/** Probes every component, every 15 s [system#health]. */
export function healthLoop(
  parts: Pick<Services, 'env' | 'db' | 'store' | 'garden' | 'orchestration'>,
  storeFault: () => string | null,
): Loop {
  return {
    name: 'health',
    everyMs: PROBE_SECONDS * 1_000,
    async tick() {
      await probeHealth({
        ...parts,
        gardenState: () => gardenFinding(parts),
        nlmBackend: () => probeNlmBackend(parts.env),
        controlPlane: () => probeControlPlane(parts.env),
        schema: () => probeSchema(parts.db),
        storeFault,
      })
      return 'idle'
    },
  }
}
