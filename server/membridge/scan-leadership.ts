/**
 * The scan ([membridge#scan]): looks at every project in the store again, remembers what it finds, fences a term whose fence is missing, and records
 * what conditional writes cannot have led to. Several workers share the projects: each takes up what nobody took up lately.
 */
import sql from 'sql-template-tag'
import { needsFence } from '#domain/leadership/fence.rules.ts'
import { incidentsOf } from '#domain/leadership/incident.rules.ts'
import { ensureFence } from '#domain/leadership/lease-protocol.ts'
import type { LeadershipLook } from '#domain/leadership/selection-protocol.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { readObjects, runOnStore } from './leadership-protocol.ts'
import { type Before, knownOf, writeMirror } from './lease-mirror.ts'
import { recordExpiry, recordIncidents } from './record-incidents.ts'

type Parts = Pick<Services, 'db' | 'store' | 'storeConditions' | 'log'>

/** A project is taken up again after so long. */
export const SCAN_SECONDS = 15
/** A scan may begin a little early, so that every third of a minute does not become every fourth. */
const SLACK_SECONDS = 3
const BATCH = 64
const AT_ONCE = 8

/** A project that nobody took up for so long is told of. */
const BEHIND_SECONDS = 60

/**
 * Looks at the projects that are due, at most a batch; returns how many those were. `goesOn`: the batch before was full, so what a round does once is
 * done. A store that does not answer one look is asked for no other: the rest is given back, to be looked at first.
 */
export async function scanLeadership(services: Parts, { goesOn = false } = {}): Promise<number> {
  if (!goesOn) await addProjects(services.db)
  const due = await claimDue(services.db)
  if (!goesOn) logDelay(services, due)
  const waiting = [...due]
  let left: Due[] = []
  const lane = async () => {
    for (let row = waiting.shift(); row; row = waiting.shift())
      if (!(await scanProject(services, row))) left = left.concat(waiting.splice(0))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  await release(services.db, left)
  return due.length - left.length
}

/** Of a claim, the oldest come first. */
function logDelay({ log }: Parts, due: Due[]): void {
  const delays = due.flatMap(({ before, now }) => (before ? [now.getTime() - before.getTime()] : []))
  const behind_seconds = Math.round(Math.max(0, ...delays) / 1_000)
  if (behind_seconds > BEHIND_SECONDS) log.warn({ behind_seconds }, 'the scan of leases is behind')
}

export const SCAN_BATCH = BATCH

type Due = Row<
  'membridge_lease',
  'canonical_id' | 'known_epoch' | 'known_term' | 'known_holder' | 'incidents' | 'expired_epoch'
> & { now: Date; before: Date | null }

/** Every project that is registered or that a node has named is looked at from now on. */
async function addProjects(db: Db): Promise<void> {
  await db.query(sql`INSERT INTO membridge_lease (canonical_id)
    SELECT p.canonical_id FROM (SELECT canonical_id FROM membridge_project UNION SELECT canonical_id FROM membridge_node) p
    WHERE NOT EXISTS (SELECT FROM membridge_lease l WHERE l.canonical_id = p.canonical_id) ON CONFLICT DO NOTHING`)
}

async function claimDue(db: Db): Promise<Due[]> {
  const { rows } = await db.query<Due>(sql`WITH due AS (
      SELECT l.canonical_id, l.scanned_at FROM membridge_lease l
      WHERE coalesce(l.scanned_at, '-infinity') <= statement_timestamp() - make_interval(secs => ${SCAN_SECONDS - SLACK_SECONDS})
      ORDER BY coalesce(l.scanned_at, '-infinity'), l.canonical_id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
    )
    UPDATE membridge_lease l SET scanned_at = clock_timestamp() FROM due d WHERE l.canonical_id = d.canonical_id
    RETURNING l.canonical_id, l.known_epoch, l.known_term, l.known_holder, l.incidents, l.expired_epoch,
      clock_timestamp()::timestamptz(3) AS now, d.scanned_at AS before`)
  return rows
}

/** As if nobody had taken them up, so that they come before those that were looked at. */
async function release(db: Db, left: Due[]): Promise<void> {
  if (left.length === 0) return
  await db.query(sql`UPDATE membridge_lease l SET scanned_at = g.before
    FROM unnest(${left.map((row) => row.canonical_id)}::text[], ${left.map((row) => row.before)}::timestamptz[]) g (canonical_id, before)
    WHERE l.canonical_id = g.canonical_id`)
}

/** False when the store did not answer. */
async function scanProject(services: Parts, row: Due): Promise<boolean> {
  const { db } = services
  const { canonical_id: cid, now: began } = row
  const before: Before = { cid, known: knownOf(row), holder: null, knownNode: false, began }
  const look = await readObjects(services, cid)
  await writeMirror(db, before, look)
  const found = incidentsOf(before.known, look.lease, look.pointer)
  // What cannot be read shows nothing, neither an incident nor its end.
  if (look.lease.state !== 'unreadable') await recordIncidents(db, { cid, before: row.incidents, found })
  if (look.lease.state === 'expired' && look.lease.lease.epoch !== row.expired_epoch)
    await recordExpiry(db, cid, look.lease.lease)
  if (isUnfenced(look) && (await services.storeConditions.ensure()).refusal === null)
    await runOnStore(services, ensureFence(look.lease.lease, cid), { cid })
  return look.lease.state !== 'unreadable' || look.lease.stored !== null
}

type Led = LeadershipLook & { lease: Extract<LeadershipLook['lease'], { state: 'valid' | 'expired' }> }

/** A term that stands in the lease and not yet in the pointer: whoever wrote it was killed in between, or is about to fence it itself. */
function isUnfenced(look: LeadershipLook): look is Led {
  const { lease, pointer } = look
  if ((lease.state !== 'valid' && lease.state !== 'expired') || pointer.state === 'unreadable') return false
  return lease.lease.term !== null && needsFence(pointer, lease.lease.term)
}
