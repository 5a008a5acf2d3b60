/**
 * From a presented machine key to a `Caller` ([keys#identification]): for routes that say they accept keys of a kind, and for no other.
 *
 * Outward every fault is the same 401 after the same work; the audit learns which one it was, and of a key whose secret was right its id
 * (`because`, which the gate records with the refusal). A key in clear is 403 and is not looked at. Failure: while the ledger does not
 * answer nobody is identified, and the gate says 503.
 */
import { timingSafeEqual } from 'node:crypto'
import sql from 'sql-template-tag'
import { ANONYMOUS, type Caller } from '#domain/authority/caller.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { keyFault } from '#domain/machine-key/key-fault.rules.ts'
import { keyIdOf } from '#domain/machine-key/key-form.rules.ts'
import type { KeyKind } from '#domain/machine-key/key-kinds.ts'
import { machineKeyMachine } from '#domain/machine-key/machine-key.machine.ts'
import type { Identified } from '#server/auth/identify.ts'
import { keyInClear } from '#server/auth/key-in-clear.ts'
import type { Because } from '#server/auth/record-refusal.ts'
import type { RequestFacts } from '#server/auth/request-facts.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import { state } from '#server/ledger/states.ts'
import type { Services } from '#server/services.ts'
import { keyHash } from './key-secret.ts'
import { keyState } from './key-view.ts'

/** A key as it is presented: in which header is the route's matter, and so is the surface. */
export type Presented = { key: string | null; via: Caller['via'] }
type KeyRow = Row<'machine_key', 'key_id' | 'kind' | 'node_id' | 'hash' | 'status'> & { stale: boolean }

const NO_KEY: Refusal = { code: 'AUTH_REQUIRED', message: 'The key is missing or wrong.' }
/** Compared with where no key is named, so that both take the same time; no digest has this length in hex and these letters. */
const NO_HASH = '-'.repeat(64)

export async function identifyMachineKey(
  services: Pick<Services, 'db' | 'env'>,
  kind: KeyKind,
  { key: presented, via }: Presented,
  facts: Pick<RequestFacts, 'headers' | 'correlationId'>,
): Promise<Identified> {
  const refused = (refusal: Refusal, because: Because): Identified => ({
    ...{ steppedUp: false, byCookie: false, refusal, because },
    caller: { ...ANONYMOUS, via, correlationId: facts.correlationId },
  })
  if (presented === null) return refused(NO_KEY, { reason: 'no key' })
  const inClear = keyInClear(facts.headers, services.env)
  if (inClear) return refused(inClear, { reason: 'key in clear' })
  const row = await namedKey(services.db, keyIdOf(presented))
  const genuine = isSame(keyHash(presented), row?.hash ?? NO_HASH)
  const fault = keyFault(row ? { ...row, genuine } : null, kind)
  if (fault || !row) return refused(NO_KEY, becauseOf(fault ?? 'unknown key', genuine ? row : undefined))
  if (row.stale) await touch(services.db, row.key_id)
  const caller: Caller = {
    role: 'node',
    identity: `node:${row.node_id}`,
    via,
    correlationId: facts.correlationId,
  }
  return { caller, steppedUp: false, refusal: null, byCookie: false }
}

const becauseOf = (reason: string, row: KeyRow | undefined): Because =>
  row ? { reason, keyId: row.key_id } : { reason }

const isSame = (one: string, other: string): boolean => timingSafeEqual(Buffer.from(one), Buffer.from(other))

/** One primary-key look-up. */
async function namedKey(db: Db, keyId: string | null): Promise<KeyRow | undefined> {
  const { rows } = await db.query<KeyRow>(sql`
    SELECT k.key_id, k.kind, k.node_id, k.hash, ${keyState} AS status,
      coalesce(k.last_used_at <= clock_timestamp() - interval '1 minute', true) AS stale
    FROM machine_key k WHERE k.key_id = ${keyId}`)
  return rows[0]
}

/** At most once a minute, however many requests come at the same moment. */
async function touch(db: Db, keyId: string): Promise<void> {
  await db.query(sql`UPDATE machine_key SET last_used_at = clock_timestamp()
    WHERE key_id = ${keyId} AND status = ${state(machineKeyMachine, 'active')}
      AND coalesce(last_used_at <= clock_timestamp() - interval '1 minute', true)`)
}
