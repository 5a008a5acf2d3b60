import { HEARTBEAT_SECONDS } from '#domain/job/job.rules.ts'
import { heartbeatLeases } from '#server/jobs/leases.ts'
import { count } from '#server/metrics/meter.ts'
import type { Services } from '#server/services.ts'
import type { Loop } from './loop.ts'

/** Renews the leases of this worker's jobs every 10 s ([jobs#leases-and-fences]). */
export function heartbeatLoop({ db }: Pick<Services, 'db'>, holder: string): Loop {
  return {
    name: 'job-heartbeat',
    everyMs: HEARTBEAT_SECONDS * 1000,
    async tick() {
      count('lease_extensions_total', { tenant: 'default' }, await heartbeatLeases(db, holder))
      return 'idle'
    },
  }
}
