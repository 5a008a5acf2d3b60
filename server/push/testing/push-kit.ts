/** Devices and their messages over a real ledger, on a clock of the test. */
import { randomBytes } from 'node:crypto'
import pino from 'pino'
import sql, { type Sql } from 'sql-template-tag'
import type { SubscribeRequest } from '#contracts/push.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { testEnv } from '#server/http/testing/gateway.ts'
import { createTestDatabase } from '#server/launch/testing/test-database.ts'
import { ledgerNow } from '#server/ledger/clock.ts'
import { type Db, openDatabase } from '#server/ledger/database.ts'
import { subscribe } from '#server/push-devices/manage-devices.ts'
import { announceKey } from '#server/push-devices/push-key.ts'
import { deliverPushes } from '../deliver-pushes.ts'
import { openPushSender } from '../send-push.ts'
import { newBrowser, pushService } from './push-service.ts'

export type PushKit = Awaited<ReturnType<typeof pushKit>>
type Asked = Partial<Omit<SubscribeRequest, 'keys'>>

export async function pushKit() {
  const [test, service] = [await createTestDatabase(), await pushService()]
  const admin = openDatabase(test.adminUrl, { connections: 1 })
  const web = openDatabase(test.webUrl)
  const worker = openDatabase(test.workerUrl, { connections: 4 })
  const env = testEnv(test.webUrl, { PUSH_ORIGINS: service.origin })
  const sender = openPushSender(env, randomBytes(32).toString('base64url'))
  await announceKey(worker, sender.publicKey)
  const log = pino({ level: 'silent' })
  const passed = { ms: 0 }
  let made = 0
  const now = async () => new Date((await ledgerNow(worker)).getTime() + passed.ms)

  const account = async (role: 'owner' | 'operator' = 'operator'): Promise<Caller> => {
    const name = `one${++made}`
    const accountId = role === 'owner' ? 'owner' : `op_${name}`
    await web.query(sql`INSERT INTO account (account_id, role, name, created_by) VALUES (${accountId}, ${role}, ${name}, 'owner')
      ON CONFLICT DO NOTHING`)
    const sessionId = `sid-${made}`
    await web.query(sql`INSERT INTO session (sid, role, identity, account_id, expires_at)
      VALUES (${sessionId}, ${role}, ${name}, ${accountId}, clock_timestamp() + interval '1 day')`)
    return { role, identity: name, via: 'console', accountId, sessionId }
  }
  const ask = (caller: Caller, over: Asked = {}, browser = newBrowser()) => {
    const request = {
      ...{ endpoint: `${service.origin}/push/${randomBytes(8).toString('hex')}`, keys: browser.keys },
      ...{ server_key: sender.publicKey, device: 'Chrome', language: 'en' as const, ...over },
    }
    return subscribe({ db: web, env }, request, caller)
  }
  return {
    ...{ test, web, worker, env, sender, service, account, ask, now, log },
    pass: (ms: number) => {
      passed.ms += ms
    },
    /** A browser of the account. */
    device: async (caller: Caller, over: Asked = {}) => {
      const browser = newBrowser()
      const answer = await ask(caller, over, browser)
      if (!answer.ok) throw new Error(answer.refusal.message)
      return { ...answer.value, read: browser.read, keys: browser.keys }
    },
    deliver: async () => deliverPushes({ db: worker, log, send: sender.send }, await now()),
    messages: async () =>
      (
        await worker.query<{ status: string; topic: string; attempts: number; last_error: string | null }>(
          sql`SELECT status, topic, attempts, last_error FROM push_message ORDER BY created_at, message_id`,
        )
      ).rows,
    /** Past the triggers, as the superuser. */
    past: (...statements: Sql[]) =>
      admin.transaction(async (tx: Db) => {
        await tx.query(sql`SET LOCAL session_replication_role = replica`)
        for (const statement of statements) await tx.query(statement)
      }),
    close: async () => {
      await sender.close()
      await service.close()
      await Promise.all([admin.close(), web.close(), worker.close()])
      await test.drop()
    },
  }
}
