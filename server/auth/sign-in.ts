/**
 * Signing in with a password or with a one-time link (contract page 09, section 3.1).
 *
 * An unknown name and a wrong password get the same answer after the same work. Tries are bounded per account and per address;
 * the one that reaches the bound is told to wait whatever it typed. Success opens a session with a new id, with its event in
 * the same transaction. Sessions that are open already are never touched by failures.
 */
import { createHash } from 'node:crypto'
import sql from 'sql-template-tag'
import type { Caller } from '#domain/authority/caller.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Services } from '#server/composition/services.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { giveBackTries, takeTries } from './access-tries.ts'
import type { Bound } from './count-hit.ts'
import { identityOf, type OpenedSession, openSession } from './open-session.ts'
import { verifyPassword } from './password.ts'
import { addressHash } from './record-refusal.ts'

type Needs = Pick<Services, 'database' | 'db' | 'env'>
/** Where the sign-in comes from. */
export type Door = { address: string; via: Caller['via']; correlationId?: string }
type Account = { account_id: string; role: 'owner' | 'operator'; name: string; password_hash: string | null }

const WRONG: Refusal = { code: 'AUTH_REQUIRED', message: 'The name or the password is wrong.' }
const LINK_OVER: Refusal = {
  code: 'AUTH_REQUIRED',
  message: 'This link has been used or is over. Ask for a new one.',
}

export const accountSubject = (name: string): string => `account:${name.toLowerCase()}`
export const tokenHash = (token: string): string => createHash('sha256').update(token).digest('hex')

function boundsOf(services: Needs, door: Door, name: string | null): Bound[] {
  const max = services.env.RATE_SIGN_INS
  const address = addressHash(services.env.BLOOM_SESSION_KEY, door.address)
  const bounds: Bound[] = [{ subject: `sign-in:${address}`, max, period: '15 minutes' }]
  if (name !== null) bounds.push({ subject: accountSubject(name), max, period: '15 minutes' })
  return bounds
}

export async function signInWithPassword(
  services: Needs,
  given: { name: string; password: string },
  door: Door,
): Promise<Result<OpenedSession>> {
  const name = given.name.trim().toLowerCase()
  const taken = await takeTries(services.database, boundsOf(services, door, name))
  if (!taken.ok) return failed(services, door, name, taken.refusal)
  const account = await accountByName(services.db, name)
  if (!(await verifyPassword(given.password, account?.password_hash ?? null)) || !account) {
    return failed(services, door, name, WRONG)
  }
  await giveBackTries(services.database, taken.value, accountSubject(name))
  return ok(await open(services, account, door, 'password'))
}

/** Exchanges the token of a one-time link; it works once. */
export async function signInWithLink(
  services: Needs,
  token: string,
  door: Door,
): Promise<Result<OpenedSession>> {
  const taken = await takeTries(services.database, boundsOf(services, door, null))
  if (!taken.ok) return failed(services, door, 'link', taken.refusal)
  const { rows } = await services.db.query<Account>(sql`
    WITH used AS (UPDATE sign_in_link SET used_at = clock_timestamp()
      WHERE token_hash = ${tokenHash(token)} AND used_at IS NULL AND expires_at > clock_timestamp() RETURNING account_id)
    SELECT a.* FROM account a JOIN used USING (account_id) WHERE a.disabled_at IS NULL`)
  const account = rows[0]
  if (!account) return failed(services, door, 'link', LINK_OVER)
  await giveBackTries(services.database, taken.value)
  return ok(await open(services, account, door, 'link'))
}

export async function accountByName(db: Db, name: string): Promise<Account | undefined> {
  const { rows } = await db.query<Account>(
    sql`SELECT account_id, role, name, password_hash FROM account WHERE name = ${name} AND disabled_at IS NULL`,
  )
  return rows[0]
}

function open(
  services: Needs,
  account: Account,
  door: Door,
  by: 'password' | 'link',
): Promise<OpenedSession> {
  const identity = identityOf(account)
  const actor: Caller = { role: account.role, identity, via: door.via }
  return services.database.transaction(async (tx) => {
    const session = await openSession(tx, {
      role: account.role,
      identity,
      accountId: account.account_id,
      via: door.via,
      addressHash: addressHash(services.env.BLOOM_SESSION_KEY, door.address),
      byPassword: by === 'password',
    })
    await recordEvent(tx, {
      name: 'auth.login',
      actor,
      resource: { type: 'account', id: account.account_id },
      correlationId: door.correlationId,
      details: { by },
    })
    return session
  })
}

/** The name that was typed is not kept: people type passwords there. */
async function failed(services: Needs, door: Door, name: string, refusal: Refusal): Promise<Result<never>> {
  const key = services.env.BLOOM_SESSION_KEY
  await recordEvent(services.db, {
    name: 'auth.failed',
    actor: { role: 'anonymous', identity: 'anonymous', via: door.via },
    resource: { type: 'account', id: name === 'link' ? 'link' : addressHash(key, accountSubject(name)) },
    outcome: 'refused',
    errorCode: refusal.code,
    correlationId: door.correlationId,
    details: { address_hash: addressHash(key, door.address) },
  })
  return refuse(refusal)
}
