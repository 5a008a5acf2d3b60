/**
 * Losses [audit#losses]: numbers of the chain whose events were gone when the ledger was rebuilt from its objects. The rebuild leaves one
 * event that declares them, in an envelope signed by the key of the home, and the chain goes on behind what the newest signed head attests.
 * A gap that is declared, with the hashes on both of its sides, is a loss that every verification names; any other gap is a fault. Whoever
 * has not got the key can therefore not take an event out and call it lost.
 */
import sql from 'sql-template-tag'
import { z } from 'zod'
import type { Db } from '#server/ledger/database.ts'
import { open, seal } from './dsse.ts'
import { type SigningKey, signingKeyOf } from './signing-key.ts'
import { type KeyParts, trustedKeys } from './trusted-keys.ts'

const LOSSES_TYPE = 'application/vnd.garden-bloom.audit-losses+json'
/** The event of a rebuild; it declares what is lost, if anything is. */
export const REBUILT = 'audit.rebuilt'
/** So many stand in one event. */
export const LOSSES_AN_EVENT = 16

const hash = z.string().regex(/^[0-9a-f]{64}$/)
/** `after` is the hash of the event before the first lost one, `before` what the event behind the last one was chained to. */
const gap = z.object({
  from: z.number().int().min(1),
  to: z.number().int().min(1),
  after: hash,
  before: hash,
})
export type Gap = z.infer<typeof gap>
const statement = z.object({ lost: z.array(gap) })

/** A loss, and the event that declares it. */
export type DeclaredLoss = Gap & { event_id: string; declared_at: string }

/** The statement of a rebuild as it stands in its event. */
export const lossesEnvelope = (lost: readonly Gap[], key: SigningKey): string =>
  new TextDecoder().decode(seal(LOSSES_TYPE, { lost }, key))

type Parts = KeyParts & { db: Pick<Db, 'query'> }

/** The losses that events of the ledger declare under a key that counts, each under its first number. */
export async function declaredLosses({ db, store, env }: Parts): Promise<ReadonlyMap<number, DeclaredLoss>> {
  const { rows } = await db.query<{ event_id: string; ts: Date; envelope: string }>(
    sql`SELECT event_id, ts, details ->> 'envelope' AS envelope FROM event WHERE name = ${REBUILT} AND details ? 'envelope' ORDER BY id`,
  )
  if (rows.length === 0) return new Map()
  const trusted = await trustedKeys({ env, store })
  const losses = rows.flatMap(({ event_id, ts, envelope }) => {
    const opened = open(LOSSES_TYPE, new TextEncoder().encode(envelope), trusted)
    const said = opened.ok ? statement.safeParse(opened.payload) : null
    return (said?.data?.lost ?? []).map((one) => ({ ...one, event_id, declared_at: ts.toISOString() }))
  })
  return new Map(losses.map((loss) => [loss.from, loss]))
}

/** Whether the gap is declared exactly so. */
export function isDeclared(losses: ReadonlyMap<number, Gap>, { from, to, after, before }: Gap): boolean {
  const loss = losses.get(from)
  return loss?.to === to && loss.after === after && loss.before === before
}

/** What a rebuild records: from where to where the chain is there, and what is lost of it. */
export function rebuiltDetails(
  { sealedTo, attestedTo }: { sealedTo: number; attestedTo: number | null },
  lost: readonly Gap[],
  env: KeyParts['env'],
): Record<string, unknown> {
  const count = lost.reduce((sum, { from, to }) => sum + to - from + 1, 0)
  const known = { sealed_to: sealedTo, attested_to: attestedTo, events_lost: count }
  return count === 0 ? known : { ...known, envelope: lossesEnvelope(lost, signingKeyOf(env)) }
}
