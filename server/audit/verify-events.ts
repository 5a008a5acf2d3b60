/** The ledger's side of a verification: the chain from its first event, and events that stand in it without a seal [audit#verification]. */
import { createHash } from 'node:crypto'
import sql from 'sql-template-tag'
import type { AuditLoss } from '#contracts/audit.contract.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { type DeclaredLoss, declaredLosses, isDeclared } from './declared-losses.ts'
import type { Fault, StageStep, VerificationRow } from './verification-row.ts'

const EVENTS = 2_000
const IDS = 20_000
const GENESIS = '00'.repeat(32)

/** `body` is null where a seal has lost its event; `agrees` says whether the columns are what the bytes say. */
type Sealed = Row<'event_seal', 'seq' | 'prev_hash' | 'hash'> & {
  event_id: string | null
  body: string | null
  agrees: boolean | null
}

type Parts = Pick<Services, 'db' | 'store' | 'env'>

/** Walks on from `position`, which is the last number and its hash as recomputed. A gap that is declared lost is named, and passed over. */
export async function verifyChain(parts: Parts, row: VerificationRow): Promise<StageStep> {
  const { db } = parts
  const [at, hash] = row.position.split(':')
  let [seq, previous] = [Number(at || 0), Buffer.from(hash || GENESIS, 'hex')]
  const sealed = await sealedRows(db, seq, row.to_seq)
  const declared = await declaredLosses(parts)
  const losses: AuditLoss[] = []
  for (const [checked, next] of sealed.entries()) {
    const loss = lossBefore(next, { seq, previous, declared })
    if (loss) {
      losses.push(loss)
      seq = loss.to
      previous = Buffer.from(next.prev_hash)
    }
    const fault = faultIn(next, seq + 1, previous)
    if (fault) return { position: null, checked, fault, losses }
    previous = Buffer.from(next.hash)
    seq = next.seq
  }
  const checked = sealed.length
  if (checked === EVENTS)
    return { position: `${seq}:${previous.toString('hex')}`, checked, fault: null, losses }
  return {
    position: null,
    checked,
    losses,
    fault: seq < row.to_seq ? end('end_missing', seq + 1) : await headFault(db),
  }
}

type Walk = { seq: number; previous: Buffer; declared: ReadonlyMap<number, DeclaredLoss> }

/** The loss between the last event and this one; null where nothing is missing, or what is missing is not declared. */
function lossBefore(next: Sealed, { seq, previous, declared }: Walk): AuditLoss | null {
  const gap = { from: seq + 1, to: next.seq - 1, after: previous.toString('hex') }
  const loss = declared.get(gap.from)
  if (!loss || !isDeclared(declared, { ...gap, before: Buffer.from(next.prev_hash).toString('hex') }))
    return null
  const { from, to, event_id, declared_at } = loss
  return { from, to, event_id, declared_at }
}

function faultIn(row: Sealed, expected: number, previous: Buffer): Fault | null {
  const at = { seq: expected, event_id: row.event_id }
  if (row.seq !== expected) return { problem: 'sequence_gap', seq: expected }
  if (row.body === null) return { problem: 'event_missing', ...at }
  if (!previous.equals(row.prev_hash)) return { problem: 'link_broken', ...at }
  const hash = createHash('sha256').update(previous).update(row.body, 'utf8').digest()
  if (!hash.equals(row.hash)) return { problem: 'hash_mismatch', ...at }
  return row.agrees ? null : { problem: 'row_differs', ...at }
}

/** Events from before the canonical form hold the bytes of that time. */
async function sealedRows(db: Db, after: number, to: number): Promise<Sealed[]> {
  const { rows } =
    await db.query<Sealed>(sql`SELECT s.seq, s.prev_hash, s.hash, e.event_id, e.body, (e.body = event_bytes(e) OR e.body = event_body(e)) AS agrees
    FROM event_seal s LEFT JOIN event e ON e.id = s.event WHERE s.seq > ${after} AND s.seq <= ${to} ORDER BY s.seq LIMIT ${EVENTS}`)
  return rows
}

const end = (problem: Fault['problem'], seq: number): Fault => ({ problem, seq })

/** The head as it is now against the seal that it names and the newest there is: one statement, so one moment. */
async function headFault(db: Db): Promise<Fault | null> {
  const { rows } = await db.query<{ seq: number; newest: number; same: boolean | null }>(
    sql`SELECT h.seq, coalesce((SELECT max(seq) FROM event_seal), 0) AS newest,
      CASE WHEN h.seq = 0 THEN h.hash = decode(${GENESIS}, 'hex') ELSE (SELECT s.hash = h.hash FROM event_seal s WHERE s.seq = h.seq) END AS same
    FROM event_head h`,
  )
  const [head] = rows
  if (!head) return end('head_mismatch', 0)
  if (head.newest < head.seq) return end('end_missing', head.newest + 1)
  return head.newest > head.seq || !head.same ? end('head_mismatch', head.newest) : null
}

/** Below the sealer's mark every event has a seal; one that has none was put there behind its back. */
export async function verifyUnsealed(db: Db, row: VerificationRow): Promise<StageStep> {
  const from = row.position === '' ? null : Number(row.position)
  const to = Math.min((from ?? 0) + IDS, row.to_id)
  const { rows } = await db.query<Row<'event', 'event_id'>>(sql`SELECT e.event_id FROM event e
    WHERE (${from}::bigint IS NULL OR e.id > ${from}) AND e.id <= ${to} AND NOT EXISTS (SELECT 1 FROM event_seal s WHERE s.event = e.id) ORDER BY e.id LIMIT 1`)
  const [stranger] = rows
  if (stranger)
    return {
      position: null,
      checked: 0,
      fault: { problem: 'unsealed_event', event_id: stranger.event_id },
    }
  return { position: to < row.to_id ? String(to) : null, checked: 0, fault: null }
}
