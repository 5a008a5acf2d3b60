import sql from 'sql-template-tag'
import { CANONICAL, STALE_SECONDS, type SystemHealth } from '#contracts/system.contract.ts'
import { withTimeout } from '#server/concurrency/with-timeout.ts'
import type { Services } from '#server/services.ts'

/** A load balancer that waits any longer takes no answer for one, and a ledger whose packets are lost gives none. */
const PATIENCE_MS = 5_000

/** What a probe that succeeded says. */
const SERVING: readonly SystemHealth['components']['ledger']['status'][] = ['healthy', 'degraded']

/**
 * True when the process can serve: the ledger answers within a few seconds, and the last probes of object store, garden and ledger (with its schema) are at
 * most a minute old and succeeded. Public, so it says nothing more.
 */
export async function canServe({ db }: Pick<Services, 'db'>): Promise<boolean> {
  try {
    const { rows } = await withTimeout({ ms: PATIENCE_MS }, () =>
      db.query<{ n: number }>(sql`SELECT count(*) AS n FROM component_health
      WHERE component = ANY(${CANONICAL}) AND status = ANY(${SERVING})
        AND checked_at > clock_timestamp() - make_interval(secs => ${STALE_SECONDS})`),
    )
    return rows[0]?.n === CANONICAL.length
  } catch {
    return false
  }
}
