import sql from 'sql-template-tag'
import type { ArtifactStats } from '#contracts/artifact.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import type { Services } from '#server/composition/services.ts'
import { artifactSight } from './zone-sight.ts'

type Cited = { type: string; source_paths: string[] }

/** Artifacts by type; a guest's counts are those of the zone. */
export async function artifactStats(
  services: Pick<Services, 'db' | 'garden'>,
  caller: Caller,
): Promise<ArtifactStats> {
  const sight = await artifactSight(services, caller)
  if (!sight.guest) {
    const { rows } = await services.db.query<{ type: string; n: number }>(
      sql`SELECT type, count(*) AS n FROM artifact GROUP BY type`,
    )
    return {
      total: rows.reduce((sum, r) => sum + r.n, 0),
      by_type: Object.fromEntries(rows.map((r) => [r.type, r.n])),
    }
  }
  const { rows } = await services.db.query<Cited>(
    sql`SELECT type, source_paths FROM artifact ORDER BY created_at DESC LIMIT 10000`,
  )
  const seen = await sight.seen(rows)
  const by_type: Record<string, number> = {}
  for (const { type } of seen) by_type[type] = (by_type[type] ?? 0) + 1
  return { total: seen.length, by_type }
}
