/**
 * Events, their seals and the signed heads, from `audit/` ([rebuild#what-comes-back]). The bytes of an event are loaded as they were
 * hashed; that its columns say the same is checked by every verification of the audit.
 */
import { createHash } from 'node:crypto'
import { HEADS, signedHead } from '#server/audit/sign-head.ts'
import { KEYS } from '#server/audit/trusted-keys.ts'
import type { Row } from '#server/ledger/rows.ts'
import { type AuditObject, parseAuditObject } from '#server/outbox/audit-object.ts'
import { PROJECTOR } from '#server/outbox/consume.ts'
import { sha256Hex } from '#server/ports/object-store.ts'
import { TRIGGERS } from '#server/schedules/fire-events.ts'
import { inserter, type JsonRow } from './insert-rows.ts'
import { type Document, objectsBelow, parseDocument } from './read-objects.ts'
import type { Rebuild } from './rebuild-ledger.ts'

/** Ids that stand at the top of an event's bytes. */
const IDS = [
  'agent',
  'artifact_id',
  'inbox_id',
  'job_id',
  'lease_id',
  'proposal_id',
  'run_id',
  'task_id',
  'zone_id',
]

/** The columns of an event, from the bytes that were hashed. */
export function eventOf(body: string, id: number): JsonRow<'event'> {
  const said = JSON.parse(body) as Document
  const resource = said.resource as { type: string; id: string }
  const ids = IDS.flatMap((name) => (typeof said[name] === 'string' ? [[name, said[name]]] : []))
  const of = (name: string) => said[name] ?? null
  return {
    id,
    event_id: said.event_id,
    ts: said.ts,
    name: said.event,
    actor: said.actor,
    actor_role: said.actor_role,
    via: said.via,
    resource_type: resource.type,
    resource_id: resource.id,
    transition: of('transition'),
    from_status: of('from'),
    to_status: of('to'),
    reason: of('reason'),
    outcome: said.outcome,
    error_code: of('error_code'),
    node: said.node,
    correlation_id: of('correlation_id'),
    refs: { ...(said.refs as object | undefined), ...Object.fromEntries(ids) },
    details: said.details,
    body,
  }
}

type Unplaced = { key: string; body: string; ts: string; event_id: string }
type Position = NonNullable<AuditObject['position']>

/** Loads everything below `audit/`; how many rows of which table. */
export async function rebuildEvents(to: Rebuild): Promise<Record<string, number>> {
  const events = inserter(to, 'event')
  const seals = inserter(to, 'event_seal')
  const unplaced: Unplaced[] = []
  let first: Position | null = null
  const add = async (key: string, body: string, position: Position) => {
    await events.add({ key, row: eventOf(body, position.number) })
    await seals.add({ key, row: sealOf(position) })
  }
  const isEvent = (key: string) => !key.startsWith(HEADS) && !key.startsWith(KEYS)
  for await (const { key, value } of objectsBelow(to, 'audit/', parseAuditObject, isEvent)) {
    const { event_id, ts } = JSON.parse(value.body) as Unplaced
    if (value.position === null) unplaced.push({ key, body: value.body, ts, event_id })
    else {
      if (!first || value.position.seq < first.seq) first = value.position
      await add(key, value.body, value.position)
    }
  }
  for (const { key, body, position } of placed(unplaced, first, to)) await add(key, body, position)
  const counts = {
    event: await events.end(),
    event_seal: await seals.end(),
    audit_head: await rebuildHeads(to),
  }
  await rebuildHeadOfChain(to)
  return counts
}

const sealOf = ({ seq, number, prev_hash, hash, sealed_at }: Position): JsonRow<'event_seal'> => ({
  seq,
  event: number,
  prev_hash: `\\x${prev_hash}`,
  hash: `\\x${hash}`,
  sealed_at,
})

/**
 * Events of an earlier version, whose objects do not say where they stand: they are the beginning of the chain, and if they were recorded
 * in the order of their times, the links say so. Otherwise their position is not known, and a chain with a guess in it would be worth nothing.
 */
export function placed(
  unplaced: readonly Unplaced[],
  first: Pick<Position, 'seq' | 'prev_hash'> | null,
  { fault }: Pick<Rebuild, 'fault'>,
): { key: string; body: string; position: Position }[] {
  let previous = '00'.repeat(32)
  const inOrder = [...unplaced].sort((a, b) => (a.ts + a.event_id < b.ts + b.event_id ? -1 : 1))
  const guess = inOrder.map(({ key, body, ts }, n) => {
    const prev_hash = previous
    previous = createHash('sha256').update(Buffer.from(prev_hash, 'hex')).update(body, 'utf8').digest('hex')
    return { key, body, position: { seq: n + 1, number: n + 1, prev_hash, hash: previous, sealed_at: ts } }
  })
  if (!first || (first.seq === guess.length + 1 && first.prev_hash === previous)) return guess
  for (const { key } of unplaced)
    fault(key, 'was stored by an earlier version, and its position in the chain is not known')
  return []
}

async function rebuildHeads(to: Rebuild): Promise<number> {
  const heads = inserter(to, 'audit_head')
  const parse = (text: string) => {
    const { payload } = parseDocument(text)
    const said = signedHead.parse(JSON.parse(Buffer.from(String(payload), 'base64').toString('utf8')))
    return { ...said, sha256: sha256Hex(text) }
  }
  for await (const { key, value } of objectsBelow(to, HEADS, parse)) {
    const { seq, key_id, sha256, signed_at } = value
    await heads.add({ key, row: { seq, hash: `\\x${value.hash}`, key_id, sha256, signed_at } })
  }
  return heads.end()
}

/**
 * The next event is sealed behind the newest there is. The consumer that wrote these objects goes on there as well, and so does the one that
 * starts agents by events: nothing of the past fires again.
 */
async function rebuildHeadOfChain({ client }: Rebuild): Promise<void> {
  await client.query(`UPDATE event_head SET seq = s.seq, hash = s.hash, low = e.low, mark_id = e.low, mark_xid = '0'
    FROM (SELECT seq, hash FROM event_seal ORDER BY seq DESC LIMIT 1) s, (SELECT max(id) AS low FROM event) e`)
  await client.query(
    `INSERT INTO consumer (name, seq) SELECT name, seq FROM event_head, unnest($1::text[]) name`,
    [[PROJECTOR, TRIGGERS]],
  )
}

/**
 * What is wrong with the chain as it was loaded: the first number that does not fit, or that only a head by an unknown key attests; null when
 * it is whole but for what is declared lost.
 */
export async function faultOfChain({
  client,
}: Pick<Rebuild, 'client'>): Promise<Pick<Row<'event_seal'>, 'seq'> | null> {
  const { rows } = await client.query<{ seq: string }>(
    `SELECT s.seq FROM (SELECT seq, hash, prev_hash, event, lag(hash, 1, decode(repeat('00', 32), 'hex')) OVER (ORDER BY seq) AS before,
        lag(seq, 1, 0::bigint) OVER (ORDER BY seq) AS last FROM event_seal) s LEFT JOIN event e ON e.id = s.event
      WHERE (s.seq = s.last + 1 AND s.prev_hash <> s.before) OR e.body IS NULL OR s.hash <> sha256(s.prev_hash || convert_to(e.body, 'UTF8'))
      UNION ALL SELECT max(s.seq) + 1 FROM event_seal s HAVING max(s.seq) < (SELECT max(seq) FROM audit_head)
      ORDER BY 1 LIMIT 1`,
  )
  return rows[0] ? { seq: Number(rows[0].seq) } : null
}
