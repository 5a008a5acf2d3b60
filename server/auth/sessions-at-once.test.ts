/** Whoever opens a session against whoever ends them, in both orders: the first one's transaction stays open until the second one waits for it. */
import sql, { type Sql } from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Caller } from '#domain/authority/caller.ts'
import type { Result } from '#domain/kernel/result.ts'
import { type TestGateway, testGateway } from '#server/http/testing/gateway.ts'
import { somebodyWaits } from '#server/keys/testing/somebody-waits.ts'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import type { Services } from '#server/services.ts'
import { revokeZone } from '#server/zones/change-zone.ts'
import { endOtherSessions, signOut } from './end-session.ts'
import { createOperator, disableOperator, resetOperatorPassword } from './manage-accounts.ts'
import { refreshSession } from './refresh-session.ts'
import { setPassword, stepUp } from './set-password.ts'
import { accountSubject, signInWithLink, signInWithPassword, tokenHash } from './sign-in.ts'

const OWNER: Caller = { role: 'owner', identity: 'owner', via: 'console', accountId: 'owner' }
const OLD = 'seven quiet gardens'
const NEW = 'eight louder gardens'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await testGateway()
})
afterAll(() => gateway.close())

type Account = { account_id: string; name: string; here: Caller; there: Caller }
let accounts = 0

/** An operator with two sessions and a link that nobody has used. */
async function operator(): Promise<Account> {
  const name = `operator${++accounts}`
  const made = await createOperator(gateway.services, { name, password: OLD }, OWNER)
  if (!made.ok) throw new Error(made.refusal.message)
  const { account_id } = made.value
  const role = 'operator'
  const known = { role, identity: `operator:${name}`, accountId: account_id } as const
  const session = async (): Promise<Caller> => {
    const { sid } = await gateway.open({ ...known, via: 'api' })
    return { ...known, via: 'api', sessionId: sid }
  }
  await gateway.services.db.query(sql`INSERT INTO sign_in_link (token_hash, account_id, expires_at)
    VALUES (${tokenHash(name)}, ${account_id}, clock_timestamp() + interval '1 hour')`)
  return { account_id, name, here: await session(), there: await session() }
}

const client = (name: string) => ({ address: name, via: 'api' as const })
type Step<T> = (services: Services, account: Account) => Promise<T>
const OPEN: Record<string, Step<Result<unknown>>> = {
  'a password': (s, { name }) => signInWithPassword(s, { name, password: OLD }, client(name)),
  'a link': (s, { name }) => signInWithLink(s, name, client(name)),
  'a refresh': (s, { there }) => refreshSession(s, there),
}
const END: Record<string, Step<unknown>> = {
  'a new password': (s, { here }) => setPassword(s, { password: NEW, current: OLD }, here),
  'a reset': (s, { account_id }) => resetOperatorPassword(s, { account_id, password: NEW }, OWNER),
  disabling: (s, account) => disableOperator(s, account, OWNER),
  'ending the others': (s, { here }) => endOtherSessions(s, here),
}

/** `first` is done and not committed when `second` begins; both have ended on return. */
async function inOrder<T>(
  first: (services: Services) => Promise<unknown>,
  second: (services: Services) => Promise<T>,
): Promise<T> {
  const { services } = gateway
  const { began } = await services.db.transaction(async (tx) => {
    await first({ ...services, db: tx })
    const began = second(services)
    await Promise.race([began, somebodyWaits(services.database)])
    return { began }
  })
  return began
}

/** How many sessions are open beside the one that asked for the end. */
async function others({ account_id, here }: Account): Promise<number> {
  const { rowCount } = await gateway.services.db.query(
    sql`SELECT sid FROM session WHERE account_id = ${account_id} AND ended_at IS NULL AND sid <> ${here.sessionId}`,
  )
  return rowCount ?? 0
}

/** What comes after the end and still brings the right secret. */
const RIGHT = new Set([
  'a password after ending the others',
  'a link after ending the others',
  'a link after a new password',
  'a link after a reset',
])
const pairs = Object.entries(OPEN).flatMap(([open, opens]) =>
  Object.entries(END).map(([end, ends]) => ({ open, opens, end, ends })),
)

describe('a session that is opened', () => {
  test.each(pairs)('by $open before $end ends with the others', async ({ opens, ends }) => {
    const account = await operator()
    await inOrder(
      (services) => opens(services, account),
      (services) => ends(services, account),
    )
    expect(await others(account)).toBe(0)
  })

  test.each(pairs)('by $open after $end needs what is right by then', async ({ open, opens, end, ends }) => {
    const account = await operator()
    const opened = await inOrder(
      (services) => ends(services, account),
      (services) => opens(services, account),
    )
    const right = RIGHT.has(`${open} after ${end}`)
    expect(opened.ok).toBe(right)
    expect(await others(account)).toBe(right ? 1 : 0)
  })
})

test('a password that was changed while it was compared is counted and recorded as a wrong one', async () => {
  const { name, here } = await operator()
  const { db } = gateway.services
  const failures = async () => (await db.query(sql`SELECT FROM event WHERE name = 'auth.failed'`)).rowCount
  const before = Number(await failures())
  const refused = await inOrder(
    (services) => setPassword(services, { password: NEW, current: OLD }, here),
    (services) => signInWithPassword(services, { name, password: OLD }, client('elsewhere')),
  )
  expect(refused).toMatchObject({ refusal: { code: 'AUTH_REQUIRED' } })
  expect(await failures()).toBe(before + 1)
  const counted = await db.query(sql`SELECT FROM rate_slice WHERE subject = ${accountSubject(name)}`)
  expect(counted.rowCount).toBe(1)
})

describe('a step-up', () => {
  test('with a password that the session itself has changed meanwhile is refused', async () => {
    const { here } = await operator()
    const answer = await inOrder(
      (services) => setPassword(services, { password: NEW, current: OLD }, here),
      (services) => stepUp(services, { password: OLD }, here),
    )
    expect(answer).toMatchObject({ refusal: { code: 'FORBIDDEN' } })
  })

  test('of a session that has ended meanwhile is refused', async () => {
    const { here, there } = await operator()
    const answer = await inOrder(
      (services) => endOtherSessions(services, here),
      (services) => stepUp(services, { password: OLD }, there),
    )
    expect(answer).toMatchObject({ refusal: { code: 'TOKEN_EXPIRED' } })
  })
})

describe('nobody waits in a circle', () => {
  /** Begins these one after the other while a row is held that they come to, and lets go when all of them wait. */
  async function released(locks: Sql, ...steps: (() => Promise<unknown>)[]): Promise<string[]> {
    const { db } = gateway.services
    const waiting = sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    const { done } = await db.transaction(async (tx) => {
      await tx.query(locks)
      const begun: Promise<unknown>[] = []
      for (const step of steps) {
        begun.push(step())
        await waitUntil(async () => (await db.query(waiting)).rowCount === begun.length)
      }
      return { done: Promise.allSettled(begun) }
    })
    return (await done).map(({ status }) => status)
  }

  test('where one session signs out and another changes the password', async () => {
    const { services } = gateway
    const { account_id, here, there } = await operator()
    await services.db.query(sql`INSERT INTO push_subscription (subscription_id, account_id, endpoint, p256dh, auth, server_key, device, language, sid)
      VALUES ('push_0123456789ab', ${account_id}, 'https://push.example/circle', 'p', 'a', 'k', 'Browser', 'en', ${there.sessionId})`)
    const ended = await released(
      sql`SELECT FROM push_subscription WHERE sid = ${there.sessionId} FOR UPDATE`,
      () => setPassword(services, { password: NEW, current: OLD }, here),
      () => signOut(services, there),
    )
    expect(ended).toEqual(['fulfilled', 'fulfilled'])
  })

  test('where a guest refreshes and the zone is revoked, which no session survives', async () => {
    const { services } = gateway
    const [zoneId, expiresAt] = ['aaaaaaaa', new Date(Date.now() + 3_600_000)]
    await services.db.query(sql`INSERT INTO zone (zone_id, status, name, folders, consent_policy, code_hash, link_hash, created_by, expires_at)
      VALUES (${zoneId}, 'open', 'Z', '{a}', 'terms', 'c', 'l', 'owner', ${expiresAt})`)
    const known = { role: 'guest', identity: `zone:${zoneId}` } as const
    const { sid } = await gateway.open({ ...known, zone: { zoneId, expiresAt, consentVersion: 1 } })
    const ended = await released(
      sql`SELECT FROM session WHERE sid = ${sid} FOR UPDATE`,
      () => refreshSession(services, { ...known, via: 'api', sessionId: sid, zoneId }),
      () => revokeZone(services, zoneId, OWNER),
    )
    expect(ended).toEqual(['fulfilled', 'fulfilled'])
    const open = sql`SELECT FROM session WHERE zone_id = ${zoneId} AND ended_at IS NULL`
    expect((await services.db.query(open)).rowCount).toBe(0)
  })
})
