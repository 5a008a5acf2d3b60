/**
 * Events that are gone for good ([rebuild#lost-events]): numbers that no object tells of, between others or up to a signed head that attests
 * them. They are left out only when whoever rebuilds says so; then one event declares them, signed, and the chain goes on behind the head.
 */
import type { KeyObject } from 'node:crypto'
import { REBUILD } from '#domain/authority/caller.ts'
import {
  declaredLosses,
  type Gap,
  isDeclared,
  LOSSES_AN_EVENT,
  REBUILT,
  rebuiltDetails,
} from '#server/audit/declared-losses.ts'
import { open } from '#server/audit/dsse.ts'
import { HEAD_TYPE, HEADS, headKey, type SignedHead, signedHead } from '#server/audit/sign-head.ts'
import { trustedKeys } from '#server/audit/trusted-keys.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { sealAll } from '#server/ledger/seal.ts'
import { objectsBelow } from './read-objects.ts'
import type { Rebuild } from './rebuild-ledger.ts'

export type LostEvents = {
  /** Gaps that no earlier rebuild declared. */
  gaps: readonly Gap[]
  /** The number of the newest event that came back. */
  sealedTo: number
  /** The newest head by a key that counts; null without any. */
  head: SignedHead | null
}

/** Events are lost, and nobody has said that the ledger is to be rebuilt without them. */
export class EventsLost extends Error {
  readonly lost: LostEvents
  constructor(lost: LostEvents) {
    super(describeLoss(lost))
    this.name = 'EventsLost'
    this.lost = lost
  }
}

const NAMED = 5

/** What is lost, and who says that it was there. */
export function describeLoss({ gaps, sealedTo, head }: LostEvents): string {
  const count = gaps.reduce((sum, { from, to }) => sum + to - from + 1, 0)
  const numbers = gaps.slice(0, NAMED).map(({ from, to }) => (from === to ? `${from}` : `${from} to ${to}`))
  const more = gaps.length > NAMED ? ` and ${gaps.length - NAMED} more gaps` : ''
  const attested =
    head && head.seq > sealedTo
      ? `; the objects end at number ${sealedTo}, and the head signed at ${head.signed_at} attests events up to ${head.seq}`
      : ''
  return `${count} events of the audit are lost: numbers ${numbers.join(', ')}${more}${attested}`
}

const GENESIS = '00'.repeat(32)

/** What of the loaded chain is missing and not declared yet. */
export async function findLostEvents(to: Rebuild): Promise<LostEvents> {
  const { rows } = await to.client.query<{ from: string; to: string; after: string; before: string }>(
    `SELECT s.last + 1 AS from, s.seq - 1 AS to, encode(s.link, 'hex') AS after, encode(s.prev_hash, 'hex') AS before
     FROM (SELECT seq, prev_hash, lag(seq, 1, 0::bigint) OVER (ORDER BY seq) AS last, lag(hash, 1, decode('${GENESIS}', 'hex')) OVER (ORDER BY seq) AS link
       FROM event_seal) s WHERE s.seq > s.last + 1 ORDER BY s.seq`,
  )
  const between = rows.map((row) => ({ ...row, from: Number(row.from), to: Number(row.to) }))
  const end = await endOfSeals(to)
  const head = await newestTrustedHead(to)
  const beyond =
    head && head.seq > end.seq
      ? [{ from: end.seq + 1, to: head.seq, after: end.hash, before: head.hash }]
      : []
  const declared = await declaredLosses({ ...to, db: ledgerOf(to) })
  const gaps = [...between, ...beyond].filter((found) => !isDeclared(declared, found))
  return { gaps, sealedTo: end.seq, head }
}

async function endOfSeals({ client }: Pick<Rebuild, 'client'>): Promise<{ seq: number; hash: string }> {
  const { rows } = await client.query<{ seq: string; hash: string }>(
    `SELECT seq, encode(hash, 'hex') AS hash FROM event_seal ORDER BY seq DESC LIMIT 1`,
  )
  return rows[0] ? { seq: Number(rows[0].seq), hash: rows[0].hash } : { seq: 0, hash: GENESIS }
}

/** A head that anybody could have put there attests nothing; it is left to the verification. */
async function newestTrustedHead(to: Rebuild): Promise<SignedHead | null> {
  const trusted = await trustedKeys(to)
  let newest: SignedHead | null = null
  for await (const { value } of objectsBelow({ ...to, fault: () => {} }, HEADS, (text, key) =>
    read(text, key, trusted),
  ))
    if (value && value.seq > (newest?.seq ?? 0)) newest = value
  return newest
}

function read(text: string, key: string, trusted: ReadonlyMap<string, KeyObject>): SignedHead | null {
  const opened = open(HEAD_TYPE, new TextEncoder().encode(text), trusted)
  const said = opened.ok ? signedHead.safeParse(opened.payload) : null
  return said?.success && key === headKey(said.data.seq) ? said.data : null
}

/** The chain goes on behind the newest head, from the hash that it attests: the next event is linked to the last lost one. */
export async function goOnBehind({ client }: Rebuild, { head, sealedTo }: LostEvents): Promise<void> {
  if (!head || head.seq <= sealedTo) return
  await client.query(`UPDATE event_head SET seq = $1, hash = decode($2, 'hex')`, [head.seq, head.hash])
}

/** Records that the ledger was rebuilt, and what is lost; sealed at once, so that the gap and its declaration are never apart. */
export async function recordRebuilt(to: Rebuild, { gaps, sealedTo, head }: LostEvents): Promise<void> {
  const db = ledgerOf(to)
  const attestedTo = head?.seq ?? null
  for (let n = 0; n === 0 || n < gaps.length; n += LOSSES_AN_EVENT)
    await recordEvent(db, {
      name: REBUILT,
      actor: REBUILD,
      resource: { type: 'audit', id: 'chain' },
      details: rebuiltDetails({ sealedTo, attestedTo }, gaps.slice(n, n + LOSSES_AN_EVENT), to.env),
    })
  await sealAll(db)
}

/** The rebuild's own transaction as the ledger's functions take it. */
const ledgerOf = ({ client }: Pick<Rebuild, 'client'>): Db => {
  const db: Db = {
    query: async (statement) => await client.query(statement),
    transaction: (work) => work(db),
    notify: () => {},
  }
  return db
}
