import { randomBytes } from 'node:crypto'
import sql from 'sql-template-tag'
import type { GrantListRequest, GrantRequest, GrantView } from '#contracts/leadership.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result } from '#domain/kernel/result.ts'
import { fromNow } from '#server/ledger/clock.ts'
import { insertEvent } from '#server/ledger/event-fields.ts'
import { changeWithEvent } from '#server/ledger/record-event.ts'
import { columns, type Row } from '#server/ledger/rows.ts'
import { redactText } from '#server/redaction/redact.ts'
import type { Services } from '#server/services.ts'
import { seconds } from './membridge-rows.ts'

declare module '#server/ledger/rows.ts' {
  interface Shapes {
    membridge_grant: { override: GrantView['override'] }
  }
}

const GRANT_COLUMNS = [
  ...['grant_id', 'canonical_id', 'node_id', 'override', 'reason', 'granted_by'],
  ...['created_at', 'expires_at'],
] as const
type GrantRow = Row<'membridge_grant'>

/** Allows a node one override for a limited time; the grant and its event commit together, and nothing changes or extends a grant. */
export async function grantOverride(
  { db }: Pick<Services, 'db'>,
  { cid, node_id, override, ttl_seconds, reason }: GrantRequest,
  caller: Caller,
): Promise<Result<GrantView>> {
  const kept = redactText(reason).slice(0, 2_000)
  const event = {
    ...{ name: 'leadership.granted', resource: 'leadership', id: sql`m.canonical_id`, transition: null },
    ...{ fromStatus: sql`NULL::text`, toStatus: sql`NULL::text`, refs: sql`'{}'::jsonb`, record: [] },
  }
  const details = { node_id, override, ttl_seconds }
  const rows = await changeWithEvent<GrantRow>(
    db,
    sql`WITH made AS (
      INSERT INTO membridge_grant AS g (grant_id, canonical_id, node_id, override, reason, granted_by, expires_at)
      VALUES (${randomBytes(8).toString('hex')}, ${cid}, ${node_id}, ${override}, ${kept}, ${caller.identity}, ${fromNow(ttl_seconds)}) RETURNING g.*
    ), inserted AS (${insertEvent(sql`made`, event, { actor: caller, reason: kept, details })})
    SELECT ${columns('membridge_grant', 'm', GRANT_COLUMNS)} FROM made m`,
  )
  return ok(grantView(rows[0] as GrantRow))
}

/** The grants of a project that have not run out, the longest first, of one node where it is named. A node under its own key sees its own. */
export async function listGrants(
  { db }: Pick<Services, 'db'>,
  { cid, node_id }: GrantListRequest,
  { role, identity }: Caller,
): Promise<GrantView[]> {
  const [asked, own] = [node_id ?? null, role === 'node' ? identity : null]
  const { rows } = await db.query<GrantRow>(sql`SELECT ${columns('membridge_grant', 'g', GRANT_COLUMNS)}
    FROM membridge_grant g WHERE g.canonical_id = ${cid} AND g.expires_at > clock_timestamp()
      AND (${asked}::text IS NULL OR g.node_id = ${asked}::text) AND (${own}::text IS NULL OR 'node:' || g.node_id = ${own}::text)
    ORDER BY g.expires_at DESC, g.grant_id LIMIT 200`)
  return rows.map(grantView)
}

const grantView = ({ created_at, expires_at, ...plain }: GrantRow): GrantView => ({
  ...plain,
  created_at: seconds(created_at),
  expires_at: seconds(expires_at),
})
