/** SQL: the mirror of leases, one row for each project; what remains of a lease runs out by the database clock. */
import sql from 'sql-template-tag'
import { ago, type Fact, type FactParts, RESOURCES, resourcesOf } from './fact-parts.ts'

/** A mirror that nobody has renewed for so long says nothing any more. */
const STALE_SECONDS = 90

type Mirrored = { canonical_id: string; known: boolean; missing: boolean; incidents: number }

/** Projects that want somebody, those with standing alerts first. What could not be read shows neither an incident nor its end. */
export async function leadershipFacts({ db, now, standing }: FactParts): Promise<Fact[]> {
  const alerted = [...resourcesOf(standing, 'LeaderMissing'), ...resourcesOf(standing, 'TermRegression')]
  const { rows } = await db.query<Mirrored>(sql`SELECT * FROM (SELECT l.canonical_id,
      l.answered AND l.observed_at > ${ago(now, STALE_SECONDS)} AS known,
      CASE l.lease_state WHEN 'absent' THEN false WHEN 'unreadable' THEN true
        ELSE l.needs_ui_selection OR l.remaining_seconds <= extract(epoch FROM ${now}::timestamptz - l.observed_at) END AS missing,
      jsonb_array_length(l.incidents) AS incidents
    FROM membridge_lease l WHERE l.lease_state IS NOT NULL) m
    WHERE m.missing OR m.incidents > 0 OR m.canonical_id = ANY(${alerted}::text[])
    ORDER BY m.canonical_id = ANY(${alerted}::text[]) DESC, m.canonical_id LIMIT ${RESOURCES}`)
  return rows.flatMap(({ canonical_id: resource, known, missing, incidents }): Fact[] => [
    { condition: 'leader_missing', resource, value: known ? Number(missing) : null },
    { condition: 'lease_incidents', resource, value: incidents },
  ])
}
