/**
 * The mirror of leases, pointers and locks ([membridge#mirror]): one row for each project, a cache of what was last read in the store.
 *
 * Lookers overlap: a scan that read before a selection must not write behind it. A look counts as newer when it began after the stored one was
 * written, both by the ledger's clock; of looks that overlap, the one with the later store time stays, then the one with the higher epoch.
 * What was ever known of epochs and terms only grows.
 */
import sql, { join, raw, type Sql } from 'sql-template-tag'
import type { Incident } from '#domain/leadership/incident.rules.ts'
import { fieldOf } from '#domain/leadership/json-fields.ts'
import { type Known, NOTHING_KNOWN } from '#domain/leadership/known-terms.rules.ts'
import type { LeaseState } from '#domain/leadership/leadership-lease.machine.ts'
import { HOLDER_MAX, type LeaseLook } from '#domain/leadership/lease-object.ts'
import { learned, pushedAt, type RememberedLease, sizeOf } from '#domain/leadership/mirror.rules.ts'
import type { PointerLook } from '#domain/leadership/pointer-object.ts'
import type { LeadershipLook } from '#domain/leadership/selection-protocol.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import { lockViewOf } from './leadership-view.ts'

declare module '#server/ledger/rows.ts' {
  interface Shapes {
    membridge_lease: { lease_state: LeaseState | null; incidents: Incident[] }
  }
}

/** What was known before a look, and the ledger's clock at that moment: nothing that is read afterwards may be lower. */
export type Before = { cid: string; known: Known; holder: string | null; knownNode: boolean; began: Date }

type KnownRow = Pick<
  Row<'membridge_lease'>,
  'known_epoch' | 'known_term' | 'known_holder' | 'holder' | 'canonical_id'
>

/** To be asked before the store is read. `nodeId`: whose row decides `knownNode`. */
export async function knownBefore(db: Db, cid: string, nodeId: string | null = null): Promise<Before> {
  const { rows } = await db.query<
    KnownRow & { now: Date; known_node: boolean }
  >(sql`SELECT clock_timestamp()::timestamptz(3) AS now, l.canonical_id,
      l.known_epoch, l.known_term, l.known_holder, l.holder,
      EXISTS (SELECT FROM membridge_node n WHERE n.canonical_id = ${cid} AND n.node_id = ${nodeId}) AS known_node
    FROM (VALUES (0)) one LEFT JOIN membridge_lease l ON l.canonical_id = ${cid}`)
  const row = rows[0] as KnownRow & { now: Date; known_node: boolean }
  const known = row.canonical_id === null ? NOTHING_KNOWN : knownOf(row)
  return { cid, known, holder: row.holder, knownNode: row.known_node, began: row.now }
}

export const knownOf = (row: Omit<KnownRow, 'holder' | 'canonical_id'>): Known => ({
  epoch: row.known_epoch,
  term: row.known_term,
  holder: row.known_holder,
})

/** The lease as it is remembered, over the alias of the mirror: columns `lease_state`, `holder`, `remaining` and those of the answer. */
export const rememberedColumns: Sql = sql`l.lease_state, l.holder, l.epoch, l.term,
  (l.remaining_seconds - extract(epoch FROM clock_timestamp() - l.observed_at))::float8 AS remaining`
export type RememberedRow = Pick<Row<'membridge_lease'>, 'lease_state' | 'holder' | 'epoch' | 'term'> & {
  remaining: number | null
}
export const remembered = ({
  lease_state,
  holder,
  remaining,
}: Pick<RememberedRow, 'lease_state' | 'holder' | 'remaining'>): RememberedLease => ({
  state: lease_state,
  holder,
  remaining,
})

/** What was read becomes what is remembered, unless something newer is. Of a lease that could not be read only what was known of it stays. */
export async function writeMirror(
  db: Db,
  { cid, known, began }: Before,
  look: LeadershipLook,
): Promise<void> {
  const cells: Cells = { ...leaseCells(look.lease), ...pointerCells(look.pointer), ...lockCells(look) }
  const next = learned(known, look.lease)
  const names = Object.keys(cells) as (keyof Cells)[]
  await db.query(sql`INSERT INTO membridge_lease AS l (canonical_id, observed_at, seen_at, known_epoch, known_term, known_holder, ${join(names.map((name) => raw(name)))})
    VALUES (${cid}, ${began}, clock_timestamp(), ${next.epoch}, ${next.term}, ${bounded(next.holder)}, ${join(names.map((name) => cells[name]))})
    ON CONFLICT (canonical_id) DO UPDATE SET observed_at = excluded.observed_at, seen_at = excluded.seen_at,
      known_epoch = greatest(l.known_epoch, excluded.known_epoch), known_term = greatest(l.known_term, excluded.known_term),
      known_holder = CASE WHEN excluded.known_term > l.known_term THEN excluded.known_holder
        WHEN excluded.known_term = l.known_term THEN coalesce(l.known_holder, excluded.known_holder) ELSE l.known_holder END,
      ${join(names.map((name) => raw(`${name} = excluded.${name}`)))}
    WHERE l.seen_at IS NULL OR excluded.observed_at >= l.seen_at
      OR (coalesce(excluded.store_time, 0), coalesce(excluded.epoch, -1)) >= (coalesce(l.store_time, 0), coalesce(l.epoch, -1))`)
}

const NO_LEASE = {
  ...{ answered: true, fault: null, holder: null, issued_by: null, nonce: null, epoch: null, term: null },
  ...{ lease_seconds: null, issued_at: null, expires_at: null, remaining_seconds: null },
  ...{ needs_ui_selection: false, store_time: null },
}

function leaseCells(look: LeaseLook) {
  const { state: lease_state } = look
  if (look.state === 'absent') return { ...NO_LEASE, lease_state, store_time: look.storeNow }
  if (look.state === 'unreadable') {
    const { reason, stored } = look
    const [answered, store_time] = [stored !== null, stored?.storeNow ?? null]
    return { ...NO_LEASE, lease_state, answered, fault: bounded(reason), store_time }
  }
  const { lease, remaining, storeNow } = look
  return {
    ...{ lease_state, answered: true, fault: null },
    holder: bounded(lease.primary_node_id),
    issued_by: bounded(fieldOf(lease, 'issued_by')),
    nonce: bounded(lease.nonce),
    ...{ epoch: lease.epoch, term: lease.term, lease_seconds: lease.lease_seconds },
    ...{ issued_at: lease.issued_at, expires_at: lease.expires_at, remaining_seconds: remaining },
    ...{ needs_ui_selection: lease.needs_ui_selection, store_time: storeNow },
  }
}

function pointerCells(look: PointerLook) {
  const pointer = look.state === 'present' ? look.pointer : null
  return {
    pointer_state: look.state,
    pointer_sha256: bounded(pointer?.sha256),
    pointer_observations: pointer?.observations ?? null,
    pointer_term: pointer?.term ?? null,
    pointer_pushed_at: pointer && pushedAt(pointer),
    pointer_db_size: pointer && sizeOf(pointer),
    pointer_node_id: bounded(pointer?.node_id),
  }
}

function lockCells({ lock }: LeadershipLook) {
  const { state, node_id, age_seconds } = lockViewOf(lock)
  return { lock_state: state, lock_node_id: bounded(node_id), lock_age_seconds: age_seconds }
}

type Cells = ReturnType<typeof leaseCells> & ReturnType<typeof pointerCells> & ReturnType<typeof lockCells>

/** An object may hold any text, also one that no column takes: without NUL, and cut off. */
const bounded = (value: unknown): string | null =>
  typeof value === 'string' ? value.replaceAll('\0', '').slice(0, HOLDER_MAX) : null
