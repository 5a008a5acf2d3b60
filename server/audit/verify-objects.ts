/** Mirrored events against their objects, and the other way round [audit#verification]. */
import sql from 'sql-template-tag'
import type { Row } from '#server/ledger/rows.ts'
import { auditKey, auditObject } from '#server/outbox/audit-object.ts'
import type { Services } from '#server/services.ts'
import { HEADS } from './sign-head.ts'
import { KEYS } from './trusted-keys.ts'
import type { Fault, StageStep, VerificationRow } from './verification-row.ts'

const OBJECTS = 256
const LISTED = 1_000
const CONCURRENCY = 16
const AUDIT = 'audit/'
const MIRRORED = /^audit\/\d{8}\/(evt_[0-9A-Z]+)\.json$/

type Parts = Pick<Services, 'db' | 'store'>
type Mirrored = Row<'event', 'event_id' | 'ts' | 'body'> &
  Row<'event_seal', 'seq' | 'prev_hash' | 'hash' | 'sealed_at'> & { number: number }

/** Compares the mirrored events after `position`, a number, with their objects, byte for byte. */
export async function verifyObjects({ db, store }: Parts, row: VerificationRow): Promise<StageStep> {
  const { rows } =
    await db.query<Mirrored>(sql`SELECT s.seq, s.prev_hash, s.hash, s.sealed_at, s.event AS number, e.event_id, e.ts, e.body FROM event_seal s JOIN event e ON e.id = s.event
    WHERE s.seq > ${Number(row.position || 0)} AND s.seq <= ${row.mirrored_to} ORDER BY s.seq LIMIT ${OBJECTS}`)
  for (let n = 0; n < rows.length; n += CONCURRENCY) {
    const faults = await Promise.all(rows.slice(n, n + CONCURRENCY).map((event) => faultIn(store, event)))
    const fault = faults.find((found) => found !== null)
    if (fault) return { position: null, checked: n, fault }
  }
  const last = rows.at(-1)?.seq
  return {
    position: rows.length === OBJECTS ? String(last) : null,
    checked: rows.length,
    fault: null,
  }
}

async function faultIn(store: Services['store'], event: Mirrored): Promise<Fault | null> {
  const key = auditKey(event)
  const stored = await store.get(key)
  // An earlier version stored the hashed bytes alone.
  const texts = [auditObject(event), event.body]
  if (stored && texts.some((text) => Buffer.from(stored.bytes).equals(Buffer.from(text)))) return null
  const problem = stored ? 'object_differs' : 'object_missing'
  return { problem, seq: event.seq, event_id: event.event_id, key }
}

/** Goes through the objects after `position`, a key: each belongs to an event. */
export async function verifyMirror({ db, store }: Parts, row: VerificationRow): Promise<StageStep> {
  const after = row.position
  const { keys, next } = await store.list(AUDIT, { ...(after && { after }), limit: LISTED })
  const mirrored = keys.filter((key) => !key.startsWith(HEADS) && !key.startsWith(KEYS))
  const ids = mirrored.map((key) => MIRRORED.exec(key)?.[1] ?? '')
  const { rows } = await db.query<Pick<Mirrored, 'event_id' | 'ts'>>(
    sql`SELECT event_id, ts FROM event WHERE event_id = ANY(${ids})`,
  )
  const known = new Set(rows.map(auditKey))
  const key = mirrored.find((stored) => !known.has(stored))
  if (key) return { position: null, checked: 0, fault: { problem: 'object_unknown', key } }
  return { position: next, checked: 0, fault: null }
}
