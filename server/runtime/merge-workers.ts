/**
 * Takes what the control plane has of machines into the list of workers, by their names [runtime#workers].
 *
 * What a worker says of itself stands: for one that registered itself the control plane only tells that it is there, and only where it is called; one that fetches is there while it fetches. A word of
 * its own is never undone: one that took its leave stays away until it comes back by itself. A removed worker comes back only as what was registered after its removal.
 */
import { randomUUID } from 'node:crypto'
import sql, { type Sql } from 'sql-template-tag'
import { CONTROL_PLANE_ADMIN } from '#domain/authority/caller.ts'
import type { Sighting } from '#domain/task/worker-sightings.rules.ts'
import { TRUSTED } from '#server/keys/call-key.ts'
import type { Db } from '#server/ledger/database.ts'
import { json } from '#server/ledger/event-fields.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import type { Row } from '#server/ledger/rows.ts'
import { CALLED_AT, OFFLINE_AFTER_SECONDS, RUNTIME } from './runtime-rows.ts'

/** Rows that nobody else holds at the moment are written; the others next time. Returns how many workers were made. */
export function mergeWorkers(db: Db, sightings: readonly Sighting[]): Promise<number> {
  if (sightings.length === 0) return Promise.resolve(0)
  return db.transaction(async (tx) => {
    const seen = seenRows(sightings)
    const { rows: made } = await tx.query<Row<'worker_node', 'worker_id' | 'name' | 'url'>>(makeMissing(seen))
    const { rows: known } = await tx.query<{ came_back: boolean }>(updateKnown(seen))
    for (const { worker_id, name, url } of made)
      await recordEvent(tx, {
        ...{ name: 'worker.registered', actor: RUNTIME, resource: { type: 'worker', id: worker_id } },
        details: { name, url, source: 'control_plane' },
      })
    // Work may be waiting for it.
    if (made.length > 0 || known.some(({ came_back }) => came_back)) tx.notify('tasks')
    return made.length
  })
}

/** What is registered there is said under the admin key; of what this installation has itself, by whom is known. */
const SAID_BY = sql`CASE WHEN r.url IS NOT NULL AND NOT EXISTS (SELECT 1 FROM membridge_agent a WHERE a.name = r.name AND coalesce(a.registered_by, '') <> ALL(${TRUSTED}))
  THEN ${CONTROL_PLANE_ADMIN.identity}::text END`

/** The sightings as rows `s`; `reported_at` and `known_at` by the clock of the database. */
function seenRows(sightings: readonly Sighting[]): Sql {
  const rows = sightings.map(
    ({ name, url, capabilities, ip_addrs, agent_version, silent_seconds, known_ago }) => ({
      ...{ worker_id: randomUUID(), name, url, ip_addrs, agent_version, silent_seconds, known_ago },
      ...{ can_run: capabilities?.claude_cli ?? false, max_concurrency: capabilities?.max_concurrency ?? 1 },
      labels: capabilities?.labels ?? [],
    }),
  )
  const ago = (seconds: Sql) => sql`clock_timestamp() - make_interval(secs => ${seconds})`
  return sql`seen AS (SELECT r.*, ${ago(sql`r.silent_seconds`)} AS reported_at, ${ago(sql`r.known_ago`)} AS known_at, ${SAID_BY} AS url_by
    FROM jsonb_to_recordset(${json(rows)}) AS r(worker_id uuid, name text, url text, can_run boolean, max_concurrency smallint, labels text[], ip_addrs text[],
      agent_version text, silent_seconds double precision, known_ago double precision))`
}

const makeMissing = (seen: Sql): Sql =>
  sql`WITH ${seen}, made AS (
    INSERT INTO worker_node AS w (worker_id, name, url, url_by, can_run, max_concurrency, labels, features, ip_addrs, agent_version, last_heartbeat_at)
    SELECT s.worker_id, s.name, s.url, s.url_by, s.can_run, s.max_concurrency, s.labels, '{}', s.ip_addrs, s.agent_version, s.reported_at FROM seen s
    WHERE NOT EXISTS (SELECT FROM worker_node k WHERE k.name = s.name AND (k.removed_at IS NULL OR k.removed_at >= coalesce(s.known_at, '-infinity')))
    ON CONFLICT (name) WHERE removed_at IS NULL DO NOTHING RETURNING w.worker_id, w.name, w.url),
    breakers AS (INSERT INTO worker_breaker (worker_id) SELECT m.worker_id FROM made m)
    SELECT m.* FROM made m`

/** Five seconds apart, as for calls: what changes at every reading would be written at every reading. */
const NEWER = sql`coalesce(s.reported_at > w.last_heartbeat_at + interval '5 seconds', s.reported_at IS NOT NULL)`
const SILENT_TOO_LONG = sql`w.offline_at >= coalesce(w.last_heartbeat_at, w.created_at) + make_interval(secs => ${OFFLINE_AFTER_SECONDS})
  AND s.reported_at > clock_timestamp() - make_interval(secs => ${OFFLINE_AFTER_SECONDS})`

/** The address that anybody may have said of the worker is registered there, too. */
const SAYS_IT_TOO = sql`coalesce(w.url_by IS NULL AND s.url = w.url AND s.url_by IS NOT NULL, false)`

const updateKnown = (seen: Sql): Sql =>
  sql`WITH ${seen}, free AS (SELECT w.worker_id FROM worker_node w JOIN seen s ON s.name = w.name
      WHERE w.removed_at IS NULL AND (w.registered_at IS NULL OR (${CALLED_AT}) IS NOT NULL OR ${SAYS_IT_TOO})
      ORDER BY w.worker_id FOR NO KEY UPDATE OF w SKIP LOCKED)
    UPDATE worker_node w SET
      last_heartbeat_at = CASE WHEN ${NEWER} THEN s.reported_at ELSE w.last_heartbeat_at END,
      offline_at = CASE WHEN ${SILENT_TOO_LONG} THEN NULL ELSE w.offline_at END,
      url = ${ofNobody(sql`coalesce(s.url, w.url)`, sql`w.url`)},
      url_by = CASE WHEN ${SAYS_IT_TOO} THEN s.url_by ELSE ${ofNobody(sql`CASE WHEN s.url IS NULL OR s.url = w.url THEN w.url_by ELSE s.url_by END`, sql`w.url_by`)} END,
      can_run = ${ofNobody(sql`s.can_run`, sql`w.can_run`)}, max_concurrency = ${ofNobody(sql`s.max_concurrency`, sql`w.max_concurrency`)},
      labels = ${ofNobody(sql`s.labels`, sql`w.labels`)}, agent_version = ${ofNobody(sql`coalesce(s.agent_version, w.agent_version)`, sql`w.agent_version`)},
      ip_addrs = CASE WHEN cardinality(s.ip_addrs) > 0 THEN s.ip_addrs ELSE w.ip_addrs END, updated_at = clock_timestamp()
    FROM seen s JOIN free f ON true
    WHERE w.worker_id = f.worker_id AND w.name = s.name AND (${NEWER} OR ${SILENT_TOO_LONG} OR ${SAYS_IT_TOO}
      OR (w.registered_at IS NULL AND (w.can_run, w.max_concurrency, w.labels) IS DISTINCT FROM (s.can_run, s.max_concurrency, s.labels))
      OR (w.registered_at IS NULL AND s.url IS DISTINCT FROM w.url AND s.url IS NOT NULL))
    RETURNING old.offline_at IS NOT NULL AND new.offline_at IS NULL AS came_back`

/** Only of a worker that never said itself what it is. */
const ofNobody = (given: Sql, kept: Sql): Sql =>
  sql`CASE WHEN w.registered_at IS NULL THEN ${given} ELSE ${kept} END`
