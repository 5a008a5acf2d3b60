/**
 * Verification of the audit: walks the sealed rows in order, recomputes every hash from the exact bytes, and compares the
 * objects that mirror them. It names the first wrong, missing or reordered event; rows not yet sealed are counted.
 */
import { createHash } from 'node:crypto'
import sql from 'sql-template-tag'
import type { AuditVerification } from '#contracts/audit.contract.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import { auditKey } from '#server/outbox/project-events.ts'
import type { Services } from '#server/services.ts'

const STEP = 2_000
const MIRRORED = 'projector'

/** `event_id` and `body` are null where a seal has lost its event. */
type Sealed = Row<'event_seal', 'seq' | 'prev_hash' | 'hash'> &
  Pick<Row<'event', 'ts'>, 'ts'> & { event_id: string | null; body: string | null }
type Fault = NonNullable<AuditVerification['first_fault']>

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0

/** Walks the whole chain; `objects` says how many of the newest mirrored events are compared with the store as well. */
export async function verifyChain(
  services: Pick<Services, 'db' | 'store'>,
  options: { objects: number },
): Promise<AuditVerification> {
  let previous: Uint8Array = Buffer.alloc(32)
  let checked = 0
  for (;;) {
    const rows = await sealedRows(services.db, checked, STEP)
    for (const row of rows) {
      const problem = faultIn(row, checked + 1, previous)
      if (problem)
        return report(services.db, checked, 0, { seq: checked + 1, event_id: row.event_id, problem })
      previous = row.hash
      checked += 1
    }
    if (rows.length < STEP) break
  }
  const cut = await headFault(services.db, checked, previous)
  if (cut) return report(services.db, checked, 0, cut)
  const objects = await compareObjects(services, options.objects)
  return report(services.db, checked, objects.compared, objects.fault)
}

function faultIn(row: Sealed, expected: number, previous: Uint8Array): string | null {
  if (row.seq !== expected) return `sequence number ${expected} is missing`
  if (row.body === null) return 'the event is missing'
  if (!sameBytes(row.prev_hash, previous)) return 'the link to the event before it is broken'
  const hash = createHash('sha256').update(previous).update(row.body, 'utf8').digest()
  return sameBytes(row.hash, hash) ? null : 'the content does not match its hash'
}

async function sealedRows(db: Db, after: number, limit: number): Promise<Sealed[]> {
  const { rows } = await db.query<Sealed>(sql`SELECT s.seq, s.prev_hash, s.hash, e.event_id, e.ts, e.body
    FROM event_seal s LEFT JOIN event e ON e.id = s.event WHERE s.seq > ${after} ORDER BY s.seq LIMIT ${limit}`)
  return rows
}

async function headFault(db: Db, checked: number, hash: Uint8Array): Promise<Fault | null> {
  const { rows } = await db.query<Row<'event_head', 'seq' | 'hash'>>(sql`SELECT seq, hash FROM event_head`)
  const head = rows[0]
  if (!head || head.seq > checked)
    return { seq: checked + 1, event_id: null, problem: 'the end of the chain is missing' }
  return head.seq === checked && !sameBytes(head.hash, hash)
    ? { seq: checked, event_id: null, problem: 'the head does not match the last event' }
    : null
}

async function compareObjects(
  { db, store }: Pick<Services, 'db' | 'store'>,
  limit: number,
): Promise<{ compared: number; fault: Fault | null }> {
  const { rows } =
    await db.query<Sealed>(sql`SELECT s.seq, e.event_id, e.ts, e.body FROM event_seal s JOIN event e ON e.id = s.event
    WHERE s.seq <= coalesce((SELECT seq FROM consumer WHERE name = ${MIRRORED}), 0) ORDER BY s.seq DESC LIMIT ${limit}`)
  for (const row of rows) {
    const stored = await store.get(auditKey({ ts: row.ts, event_id: row.event_id as string }))
    const problem = !stored
      ? 'its object is missing'
      : Buffer.from(stored.bytes).toString('utf8') !== row.body
        ? 'its object differs'
        : null
    if (problem) return { compared: rows.length, fault: { seq: row.seq, event_id: row.event_id, problem } }
  }
  return { compared: rows.length, fault: null }
}

async function report(
  db: Db,
  checked: number,
  objects: number,
  fault: Fault | null,
): Promise<AuditVerification> {
  const { rows } = await db.query<{
    n: number
  }>(sql`SELECT count(*) AS n FROM event e, event_head h WHERE e.id > h.low
    AND NOT EXISTS (SELECT 1 FROM event_seal s WHERE s.event = e.id)`)
  return {
    ok: fault === null,
    checked,
    waiting: rows[0]?.n ?? 0,
    objects_checked: objects,
    first_fault: fault,
  }
}
