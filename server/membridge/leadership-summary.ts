/** The mirror's row of a project as people see it ([membridge#mirror]). SQL, not Prisma Client: what remains of a lease is counted by the ledger's clock. */
import sql, { type Sql } from 'sql-template-tag'
import type { LeadershipSummary } from '#contracts/leadership-console.contract.ts'
import { stateNow } from '#domain/leadership/mirror.rules.ts'
import { columns, type Row } from '#server/ledger/rows.ts'
import { secondsOrNull } from './membridge-rows.ts'
import { onlineSince } from './online-since.ts'

const COLUMNS = [
  'lease_state',
  'fault',
  'holder',
  'issued_by',
  'epoch',
  'term',
  'lease_seconds',
  'needs_ui_selection',
  'pointer_state',
  'pointer_sha256',
  'pointer_observations',
  'pointer_term',
  'pointer_pushed_at',
  'pointer_db_size',
  'pointer_node_id',
  'lock_state',
  'lock_node_id',
  'lock_age_seconds',
  'seen_at',
] as const
type LeaseRow = Row<'membridge_lease', (typeof COLUMNS)[number]>

/** All of the mirror is null for a project that no look has reached yet. */
export type SummaryRow = { [K in keyof LeaseRow]: LeaseRow[K] | null } & {
  canonical_id: string
  name: string
  remaining: number | null
  /** Seconds since the store was read. */
  elapsed: number | null
  nodes: number
  nodes_online: number
  holder_online: boolean | null
  as_of: number
}

/** The columns of a {@link SummaryRow} but id and name: the mirror as `l`, its nodes as `n`. */
export const summaryColumns: Sql = sql`${columns('membridge_lease', 'l', COLUMNS)},
  (l.remaining_seconds - extract(epoch FROM clock_timestamp() - l.observed_at))::float8 AS remaining,
  extract(epoch FROM clock_timestamp() - l.observed_at)::float8 AS elapsed,
  n.nodes, n.nodes_online, n.holder_online, extract(epoch FROM clock_timestamp())::float8 AS as_of`

/** Mirror and nodes of the project with this id, to stand behind FROM. */
export const besideProject = (
  canonicalId: Sql,
): Sql => sql`LEFT JOIN membridge_lease l ON l.canonical_id = ${canonicalId}
  CROSS JOIN LATERAL (SELECT count(*)::int AS nodes, count(*) FILTER (WHERE o.online)::int AS nodes_online,
      bool_or(o.online) FILTER (WHERE o.node_id = l.holder) AS holder_online
    FROM (SELECT m.node_id, m.last_seen > ${onlineSince} AS online
      FROM membridge_node m WHERE m.canonical_id = ${canonicalId}) o) n`

export function summaryOf(row: SummaryRow): LeadershipSummary {
  const { lease_state: seen, holder, remaining, as_of } = row
  const state = seen === null ? null : stateNow({ state: seen, holder, remaining })
  const isOnline = row.holder_online ?? false
  return {
    ...{ canonical_id: row.canonical_id, name: row.name, lease_state: state, fault: row.fault },
    ...{ primary_node_id: holder, primary_online: isOnline, epoch: row.epoch, term: row.term },
    ttl_seconds: remaining === null ? null : Math.max(0, remaining),
    needs_ui_selection: (row.needs_ui_selection ?? false) || (state === 'expired' && !isOnline),
    pointer: pointerOf(row),
    lock: lockOf(row),
    ...{ nodes: row.nodes, nodes_online: row.nodes_online, seen_at: secondsOrNull(row.seen_at), as_of },
  }
}

const pointerOf = (row: SummaryRow): LeadershipSummary['pointer'] => ({
  state: (row.pointer_state ?? 'absent') as LeadershipSummary['pointer']['state'],
  ...{ sha256: row.pointer_sha256, observations: row.pointer_observations, term: row.pointer_term },
  ...{ pushed_at: row.pointer_pushed_at, pushed_by: row.pointer_node_id, bytes: row.pointer_db_size },
})

/** The lock has aged since it was read; its state is that of the look. */
const lockOf = ({
  lock_state,
  lock_node_id,
  lock_age_seconds,
  elapsed,
}: SummaryRow): LeadershipSummary['lock'] => ({
  state: (lock_state ?? 'free') as LeadershipSummary['lock']['state'],
  node_id: lock_node_id,
  age_seconds: lock_age_seconds === null ? null : lock_age_seconds + Math.max(0, elapsed ?? 0),
})
