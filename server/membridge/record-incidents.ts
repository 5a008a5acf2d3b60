import sql from 'sql-template-tag'
import { SCHEDULER } from '#domain/authority/caller.ts'
import type { Incident } from '#domain/leadership/incident.rules.ts'
import type { Lease } from '#domain/leadership/lease-object.ts'
import type { Db } from '#server/ledger/database.ts'
import { json } from '#server/ledger/event-fields.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import type { Row } from '#server/ledger/rows.ts'

/** Two incidents with the same facts are one, in whatever order the ledger gives their fields. */
const nameOf = (incident: Incident): string =>
  JSON.stringify(Object.entries(incident).toSorted(([a], [b]) => (a < b ? -1 : 1)))
const namesOf = (incidents: readonly Incident[]): Set<string> => new Set(incidents.map(nameOf))

const sameNames = (a: Set<string>, b: Set<string>): boolean =>
  a.size === b.size && [...a].every((name) => b.has(name))

type Found = { cid: string; before: readonly Incident[]; found: readonly Incident[] }

/**
 * Keeps which incidents stand, for the alert, and records each that is new. What stands is compared again on the locked row, so two scans of one
 * project record it once.
 */
export async function recordIncidents(db: Db, { cid, before, found }: Found): Promise<void> {
  if (sameNames(namesOf(found), namesOf(before))) return
  await db.transaction(async (tx) => {
    const { rows } = await tx.query<Row<'membridge_lease', 'incidents'>>(
      sql`SELECT l.incidents FROM membridge_lease l WHERE l.canonical_id = ${cid} FOR UPDATE`,
    )
    const standing = namesOf(rows[0]?.incidents ?? [])
    await tx.query(sql`UPDATE membridge_lease SET incidents = ${json(found)} WHERE canonical_id = ${cid}`)
    for (const incident of found)
      if (!standing.has(nameOf(incident)))
        await recordEvent(tx, {
          ...{ name: 'leadership.incident', actor: SCHEDULER, outcome: 'error', details: { ...incident } },
          resource: { type: 'leadership', id: cid },
        })
  })
}

/** Records once for each epoch that its lease has expired. */
export const recordExpiry = (db: Db, cid: string, lease: Lease): Promise<void> =>
  db.transaction(async (tx) => {
    const { rowCount } = await tx.query(sql`UPDATE membridge_lease SET expired_epoch = ${lease.epoch}
      WHERE canonical_id = ${cid} AND expired_epoch IS DISTINCT FROM ${lease.epoch}::bigint`)
    if (rowCount === 0) return
    const { primary_node_id, epoch, term } = lease
    await recordEvent(tx, {
      ...{ name: 'leadership.expired', actor: SCHEDULER, details: { primary_node_id, epoch, term } },
      resource: { type: 'leadership', id: cid },
    })
  })
