import sql from 'sql-template-tag'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Caller, GATEWAY } from '#domain/authority/caller.ts'
import { type TestGateway, testGateway } from '#server/http/testing/gateway.ts'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { endOtherSessions, endSession, endSessionsOf, sessionName, signOut } from './end-session.ts'
import { OWNER_ACCOUNT } from './ensure-owner.ts'
import { listSessions } from './list-sessions.query.ts'
import { refreshSession } from './refresh-session.ts'

let gateway: TestGateway
let notified = 0
beforeAll(async () => {
  gateway = await testGateway()
  gateway.services.notifier.on('sessions', () => {
    notified += 1
  })
  // A new connection makes everybody look once: that has to be over before anything is counted.
  const { db } = gateway.services
  await waitUntil(
    async () =>
      (
        await db.query(
          sql`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN %' AND state = 'idle'`,
        )
      ).rowCount,
    { what: 'the listening connection' },
  )
  await db.query(sql`SELECT pg_notify('bloom_hint', 'another:sessions')`)
  await waitUntil(() => notified > 0, { what: 'a notification from another process' })
})
afterAll(() => gateway.close())

let caller: Caller & { sessionId: string }
beforeEach(async () => {
  await endSessionsOf(gateway.services.db, { accountId: OWNER_ACCOUNT, actor: GATEWAY })
  const { sid } = await gateway.open({ accountId: OWNER_ACCOUNT })
  caller = { role: 'owner', identity: 'owner', via: 'console', sessionId: sid, accountId: OWNER_ACCOUNT }
  notified = 0
})

const open = async () => (await listSessions(gateway.services, caller)).map(({ session }) => session)

test('signing out ends the session once and announces it', async () => {
  await signOut(gateway.services, caller)
  expect(await open()).toEqual([])
  expect(notified).toBe(1)
  await signOut(gateway.services, caller)
  expect(notified).toBe(1)
})

test('the others end and the own session stays', async () => {
  await gateway.open({ accountId: OWNER_ACCOUNT })
  await gateway.open({ accountId: OWNER_ACCOUNT })
  expect(await endOtherSessions(gateway.services, caller)).toBe(2)
  expect(await open()).toEqual([sessionName(caller.sessionId)])
  expect(notified).toBe(1)
})

test('one session ends by its name, and only one of the same account', async () => {
  const { sid } = await gateway.open({ accountId: OWNER_ACCOUNT })
  const stranger = { ...caller, accountId: 'op_none' }
  expect(await endSession(gateway.services, { session: sessionName(sid) }, stranger)).toMatchObject({
    refusal: { code: 'NOT_FOUND' },
  })
  expect((await endSession(gateway.services, { session: sessionName(sid) }, caller)).ok).toBe(true)
  expect(await open()).toEqual([sessionName(caller.sessionId)])
})

test('of two refreshes at once one wins, and the old session is closed', async () => {
  const answers = await Promise.all([
    refreshSession(gateway.services, caller),
    refreshSession(gateway.services, caller),
  ])
  expect(answers.filter(({ ok }) => ok)).toHaveLength(1)
  expect(notified).toBe(1)
})

test('a rollback ends nothing and announces nothing', async () => {
  const rolledBack = gateway.services.db.transaction(async (tx) => {
    expect(await endSessionsOf(tx, { accountId: OWNER_ACCOUNT, actor: GATEWAY })).toBe(1)
    throw new Error('taken back')
  })
  await expect(rolledBack).rejects.toThrow('taken back')
  expect(await open()).toEqual([sessionName(caller.sessionId)])
  expect(notified).toBe(0)
})
