/**
 * A heartbeat is one statement and one round trip: the row of the node, its project when nobody knows it yet, the registered agent of
 * the same name, and what the mirror has of the project's lease for the answer ([membridge#heartbeat]).
 *
 * Hundreds of nodes beat every few seconds for ever, so a beat that says nothing new leaves nothing behind: it updates the node's row in place and
 * writes neither event nor message. What is recorded is the first sight of a node, a change of the kind of key it uses, and a project that it
 * announces first; those stand in the same statement as what they record. Whether the key has changed is decided on the locked row, so two
 * beats at once cannot both miss it.
 */
import sql, { type Sql } from 'sql-template-tag'
import type { Heartbeat, HeartbeatAnswer } from '#contracts/membridge.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { Refused } from '#domain/kernel/errors.ts'
import { roleOfNode, stateNow } from '#domain/leadership/mirror.rules.ts'
import { prepared } from '#server/ledger/prepared.ts'
import { changeWithEvent } from '#server/ledger/record-event.ts'
import type { Services } from '#server/services.ts'
import { type RememberedRow, remembered, rememberedColumns } from './lease-mirror.ts'
import { recordRegistration } from './registration-event.ts'

/** `adminKey`: the beat came under the admin key, not under the node's own. */
type Beat = Heartbeat & { adminKey: boolean }

/** Projects that a node may announce under its own key: each is a row here and a look of the scan, for ever. */
export const OWN_PROJECTS_MAX = 64

/**
 * Takes note of a node. The server's clock dates it; what the beat leaves out or sends as null stays as it was known. A node under its own key that has its
 * most projects announces no other: that throws `Refused`, and nothing is written.
 */
export async function recordHeartbeat(
  { db }: Pick<Services, 'db'>,
  beat: Beat,
  caller: Caller,
): Promise<HeartbeatAnswer> {
  const statement = prepared(heartbeatStatement(beat, caller))
  const [found] = (await changeWithEvent<Recorded>(db, statement, hasRecorded)) as [Recorded]
  if (!found.accepted) throw new Refused('NODE_PROJECT_LIMIT', tooMany(beat))
  // A project that was not looked at yet is looked at now.
  if (found.recorded) db.notify('leadership')
  return answerOf(beat, found)
}

const hasRecorded = ([found]: readonly Recorded[]) => found?.recorded === true

const tooMany = ({ node_id }: Beat): string =>
  `The node '${node_id}' has ${OWN_PROJECTS_MAX} projects already, the most that its own key can announce. Send the first heartbeat of another one under the admin key.`

type Recorded = RememberedRow & { accepted: boolean; recorded: boolean }

function answerOf({ canonical_id, node_id, leadership_enabled }: Beat, found: Recorded): HeartbeatAnswer {
  const lease = remembered(found)
  const role = roleOfNode(lease, { nodeId: node_id, leadershipEnabled: leadership_enabled })
  const { epoch, term } = found
  return { ok: true, role, canonical_id, lease_state: stateNow(lease), epoch, term }
}

function heartbeatStatement(beat: Beat, caller: Caller): Sql {
  const { node_id, canonical_id, adminKey } = beat
  const seen = {
    name: sql`CASE WHEN m.registered_now THEN 'node.registered' ELSE 'node.key_changed' END`,
    resource: 'node',
    id: sql`m.canonical_id || '/' || m.node_id`,
    details: { node_id, canonical_id, admin_key: adminKey },
  } as const
  const announced = {
    name: 'project.registered',
    resource: 'project',
    id: sql`m.canonical_id`,
    details: { name: beat.project_id, source: 'heartbeat', node_id },
  } as const
  return sql`WITH beat AS (${upsertNode(beat)}),
    news AS (SELECT b.* FROM beat b WHERE b.key_changed),
    registered AS (${announceProject(beat, caller)}),
    seen AS (UPDATE membridge_agent a SET last_seen = clock_timestamp(), agent_version = coalesce(${beat.agent_version ?? null}, a.agent_version)
      FROM beat b WHERE a.name = b.node_id),
    node_event AS (${recordRegistration(sql`news`, seen, caller)}),
    project_event AS (${recordRegistration(sql`registered`, announced, caller)})
    SELECT EXISTS (SELECT FROM beat) AS accepted, EXISTS (SELECT FROM news) OR EXISTS (SELECT FROM registered) AS recorded, ${rememberedColumns}
    FROM (VALUES (0)) one LEFT JOIN membridge_lease l ON l.canonical_id = ${canonical_id}`
}

/**
 * A row that was inserted has no earlier version (`xmax`). First beats that cross do not count each other, so a node may come to have as many projects
 * more as this process has connections.
 */
const upsertNode = (beat: Beat): Sql =>
  sql`INSERT INTO membridge_node AS n (canonical_id, node_id, project_id, obs_count, db_sha, agent_version, ip_addrs, reported_last_seen, admin_key,
      leadership_enabled)
    SELECT ${beat.canonical_id}, ${beat.node_id}, ${beat.project_id ?? null}, ${beat.obs_count}, ${beat.db_sha ?? null}, ${beat.agent_version ?? null},
      ${beat.ip_addrs}, ${beat.last_seen}, ${beat.adminKey}, ${beat.leadership_enabled}
    WHERE ${beat.adminKey} OR EXISTS (SELECT FROM membridge_node k WHERE k.canonical_id = ${beat.canonical_id} AND k.node_id = ${beat.node_id})
      OR (SELECT count(*) FROM membridge_node k WHERE k.node_id = ${beat.node_id}) < ${OWN_PROJECTS_MAX}
    ON CONFLICT (canonical_id, node_id) DO UPDATE SET
      project_id = coalesce(excluded.project_id, n.project_id), obs_count = coalesce(excluded.obs_count, n.obs_count),
      db_sha = coalesce(excluded.db_sha, n.db_sha), agent_version = coalesce(excluded.agent_version, n.agent_version),
      ip_addrs = excluded.ip_addrs, reported_last_seen = coalesce(excluded.reported_last_seen, n.reported_last_seen),
      key_changed = n.admin_key <> excluded.admin_key, admin_key = excluded.admin_key,
      leadership_enabled = excluded.leadership_enabled, online = true, last_seen = clock_timestamp()
    RETURNING n.canonical_id, n.node_id, n.key_changed, n.xmax = 0 AS registered_now`

/** A project that is registered already, by whomever, keeps its row; under its own key a node gives no second project a name that one has. */
const announceProject = ({ project_id, adminKey }: Beat, caller: Caller): Sql =>
  sql`INSERT INTO membridge_project AS p (canonical_id, name, source, registered_by)
    SELECT b.canonical_id, ${project_id ?? null}::text, 'heartbeat', ${caller.identity}::text FROM beat b WHERE ${project_id ?? null}::text IS NOT NULL
      AND (${adminKey} OR NOT EXISTS (SELECT FROM membridge_project q WHERE q.name = ${project_id ?? null}::text))
    ON CONFLICT (canonical_id) DO NOTHING RETURNING p.*`
