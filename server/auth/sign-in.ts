/**
 * Signing in with a password or with a one-time link [auth#sign-in].
 *
 * An unknown name and a wrong password get the same answer after the same work. Attempts are bounded per account and per address;
 * the one that reaches the bound has to wait whatever it typed. Success opens a session with a new id, with its event in
 * the same transaction, under a lock on the account: a password that was changed while it was compared opens nothing. Sessions that are open
 * already are never touched by failures.
 */
import { createHash } from 'node:crypto'
import sql from 'sql-template-tag'
import type { Caller } from '#domain/authority/caller.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import type { Services } from '#server/services.ts'
import { identityOf } from './account-row.ts'
import type { Bound } from './count-hit.ts'
import { type Account, holdAccount, unchanged } from './lock-account.ts'
import { type OpenedSession, openSession } from './open-session.ts'
import { verifyPassword } from './password.ts'
import { addressHash } from './record-refusal.ts'
import { requestGuards } from './request-guards.ts'
import { giveBackAttempts, takeAttempts } from './take-attempts.ts'

type Needed = Pick<Services, 'database' | 'db' | 'env' | 'log'>
/** Where the sign-in comes from. */
export type ClientInfo = { address: string; via: Caller['via']; correlationId?: string }

const WRONG: Refusal = { code: 'AUTH_REQUIRED', message: 'The name or the password is wrong.' }
const LINK_USED: Refusal = {
  code: 'AUTH_REQUIRED',
  message: 'This sign-in link was already used or has expired. Ask for a new one.',
}

export const accountSubject = (name: string): string => `account:${name.toLowerCase()}`
export const tokenHash = (token: string): string => createHash('sha256').update(token).digest('hex')

function attemptBounds(services: Needed, client: ClientInfo, name: string | null): Bound[] {
  const max = services.env.RATE_SIGN_INS
  const address = addressHash(services.env.BLOOM_ADDRESS_KEY, client.address)
  const bounds: Bound[] = [{ subject: `sign-in:${address}`, max, period: '15 minutes' }]
  if (name !== null) bounds.push({ subject: accountSubject(name), max, period: '15 minutes' })
  return bounds
}

export async function signInWithPassword(
  services: Needed,
  given: { name: string; password: string },
  client: ClientInfo,
): Promise<Result<OpenedSession>> {
  const name = given.name.trim().toLowerCase()
  const taken = await takeAttempts(services.db, attemptBounds(services, client, name))
  if (!taken.ok) return failed(services, client, name, taken.refusal)
  const account = await accountByName(services.db, name)
  if (!(await verifyPassword(given.password, account?.password_hash ?? null)) || !account) {
    return failed(services, client, name, WRONG)
  }
  const session = await open(services, client, {
    by: 'password',
    admitted: (tx) => holdAccount(tx, unchanged(account)),
  })
  if (!session) return failed(services, client, name, WRONG)
  await giveBackAttempts(services.db, taken.value, accountSubject(name))
  return ok(session)
}

/** Exchanges the token of a one-time link; it works once. */
export async function signInWithLink(
  services: Needed,
  token: string,
  client: ClientInfo,
): Promise<Result<OpenedSession>> {
  const taken = await takeAttempts(services.db, attemptBounds(services, client, null))
  if (!taken.ok) return failed(services, client, 'link', taken.refusal)
  const session = await open(services, client, {
    by: 'link',
    admitted: (tx) => useLink(tx, tokenHash(token)),
  })
  if (!session) return failed(services, client, 'link', LINK_USED)
  await giveBackAttempts(services.db, taken.value)
  return ok(session)
}

/** The account is locked before the link, as it is where a new link is made. */
async function useLink(tx: Db, hash: string): Promise<Account | undefined> {
  const account = await holdAccount(
    tx,
    sql`a.account_id = (SELECT l.account_id FROM sign_in_link l WHERE l.token_hash = ${hash})`,
  )
  if (!account) return undefined
  const { rowCount } = await tx.query(sql`UPDATE sign_in_link SET used_at = clock_timestamp()
    WHERE token_hash = ${hash} AND used_at IS NULL AND expires_at > clock_timestamp()`)
  return rowCount ? account : undefined
}

export async function accountByName(db: Db, name: string): Promise<Account | undefined> {
  const { rows } = await db.query<Account>(
    sql`SELECT account_id, role, name, password_hash FROM account WHERE name = ${name} AND disabled_at IS NULL`,
  )
  return rows[0]
}

/** `admitted` locks the account that may come in, and finds none where that is over. */
type Way = { by: 'password' | 'link'; admitted: (tx: Db) => Promise<Account | undefined> }

function open(
  services: Needed,
  client: ClientInfo,
  { by, admitted }: Way,
): Promise<OpenedSession | undefined> {
  return services.db.transaction(async (tx) => {
    const account = await admitted(tx)
    if (!account) return undefined
    const identity = identityOf(account)
    const actor: Caller = { role: account.role, identity, via: client.via }
    const session = await openSession(tx, {
      role: account.role,
      identity,
      accountId: account.account_id,
      via: client.via,
      addressHash: addressHash(services.env.BLOOM_ADDRESS_KEY, client.address),
      byPassword: by === 'password',
    })
    await recordEvent(tx, {
      name: 'auth.login',
      actor,
      resource: { type: 'account', id: account.account_id },
      correlationId: client.correlationId,
      details: { by },
    })
    return session
  })
}

/** The name that was typed is not kept: people type passwords there. */
async function failed(
  services: Needed,
  client: ClientInfo,
  name: string,
  refusal: Refusal,
): Promise<Result<never>> {
  const key = services.env.BLOOM_ADDRESS_KEY
  // The fold outlives this request, and so must the connection that it writes with.
  const parts = { ...services, db: services.database }
  await requestGuards(services).refusals.recordFailedSignIn(parts, {
    caller: { role: 'anonymous', identity: 'anonymous', via: client.via },
    address: client.address,
    account: name === 'link' ? 'link' : addressHash(key, accountSubject(name)),
    refusal,
    correlationId: client.correlationId,
  })
  return refuse(refusal)
}
