/**
 * Signed heads [audit#signed-heads]: number and hash of the newest sealed event, signed, create-only in the object store under
 * `audit/heads/<seq>.dsse.json`. Each names the digest of the one before it, so none can be taken out of the middle; a row says which there
 * must be, so the newest cannot be taken away either. Whoever rewrites the chain up to a head needs the key.
 */

import sql from 'sql-template-tag'
import { z } from 'zod'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import { ObjectConflict, type ObjectStore, sha256Hex } from '#server/ports/object-store.ts'
import type { Services } from '#server/services.ts'
import { open, seal } from './dsse.ts'
import { type SigningKey, signingKeyOf } from './signing-key.ts'
import { publishKey, retiredKeys, trustedKeys } from './trusted-keys.ts'

export const HEAD_TYPE = 'application/vnd.garden-bloom.audit-head+json'
export const HEADS = 'audit/heads/'

/** What a head says. `previous` is the SHA-256 of the envelope before it, null in the first. */
export const signedHead = z.object({
  seq: z.number().int().min(1),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  previous: z.string().nullable(),
  signed_at: z.string(),
  key_id: z.string(),
})
export type SignedHead = z.infer<typeof signedHead>

type HeadRow = Row<'audit_head', 'seq' | 'sha256' | 'signed_at'>
type Chain = { seq: number; hash: Buffer; now: Date }
type Parts = Pick<Services, 'db' | 'store' | 'env'>

export const headKey = (seq: number): string => `${HEADS}${String(seq).padStart(12, '0')}.dsse.json`

/** Signs the end of the chain unless that is done; returns the number of the newest signed event, 0 before the first. */
export function signHead({ db, store, env }: Parts): Promise<number> {
  return db.transaction(async (tx) => {
    // One signer at a time, so that each head knows the one before it.
    await tx.query(sql`SELECT pg_advisory_xact_lock(hashtextextended('audit_head', 0))`)
    const newest = await newestHead(tx)
    const chain = await endOfChain(tx)
    if (chain.seq === 0 || (newest && newest.seq >= chain.seq)) return newest?.seq ?? 0
    const key = signingKeyOf(env)
    if ((await retiredKeys(store, key)) === null) await publishKey(store, key, [])
    const bytes = await storeHead({ store, env }, headOf(chain, newest, key), key)
    await tx.query(sql`INSERT INTO audit_head (seq, hash, key_id, sha256, signed_at)
      VALUES (${chain.seq}, ${chain.hash}, ${key.keyId}, ${sha256Hex(bytes)}, ${chain.now})`)
    return chain.seq
  })
}

/** Signs when events were sealed since the newest head and that is at least so old, or when there is none. */
export async function signHeadWhenDue(parts: Parts, minutes: number): Promise<void> {
  const { rows } = await parts.db.query(sql`SELECT 1 FROM event_head e WHERE NOT EXISTS (
    SELECT 1 FROM audit_head h WHERE h.seq >= e.seq OR h.signed_at > clock_timestamp() - make_interval(mins => ${minutes}))`)
  if (rows.length > 0) await signHead(parts)
}

export async function newestHead(db: Db): Promise<HeadRow | null> {
  const { rows } = await db.query<HeadRow>(
    sql`SELECT seq, sha256, signed_at FROM audit_head ORDER BY seq DESC LIMIT 1`,
  )
  return rows[0] ?? null
}

async function endOfChain(db: Db): Promise<Chain> {
  const { rows } = await db.query<Chain>(sql`SELECT seq, hash, clock_timestamp() AS now FROM event_head`)
  const [chain] = rows
  if (!chain) throw new Error('the chain has no head')
  return chain
}

const headOf = ({ seq, hash, now }: Chain, newest: HeadRow | null, key: SigningKey): SignedHead => ({
  seq,
  hash: hash.toString('hex'),
  previous: newest?.sha256 ?? null,
  signed_at: now.toISOString(),
  key_id: key.keyId,
})

/** A head that a signer stored before it could write its row is taken over when it says the same of the chain. */
async function storeHead(
  { store, env }: { store: ObjectStore; env: Services['env'] },
  head: SignedHead,
  key: SigningKey,
): Promise<Uint8Array> {
  const bytes = seal(HEAD_TYPE, head, key)
  try {
    await store.create(headKey(head.seq), bytes, 'application/json')
    return bytes
  } catch (error) {
    if (!(error instanceof ObjectConflict)) throw error
    const stored = await store.get(headKey(head.seq))
    const opened = stored && open(HEAD_TYPE, stored.bytes, await trustedKeys({ env, store }))
    const said = opened?.ok ? signedHead.safeParse(opened.payload) : null
    if (stored && said?.success && said.data.hash === head.hash && said.data.previous === head.previous)
      return stored.bytes
    throw error
  }
}
