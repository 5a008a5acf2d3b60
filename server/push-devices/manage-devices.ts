/**
 * The devices of an account. Its row is locked before one is added, so the bound holds however many are added at once. A browser has one
 * endpoint, and so one row: who signs in there last has it. An endpoint alone moves nothing: only its browser knows the keys beside it.
 */
import sql, { empty } from 'sql-template-tag'
import type { PushDevice, SubscribeRequest } from '#contracts/push.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { MAX_DEVICES } from '#domain/push/push.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { subscriptionFault } from './judge-subscription.ts'
import { announcedKey } from './push-key.ts'
import { type KnownDevice, recordDevice, removeDevices, serviceOf } from './remove-devices.ts'

const NO_ACCOUNT: Refusal = { code: 'FORBIDDEN', message: 'Devices belong to an account.' }
const OTHER_KEY: Refusal = {
  code: 'STALE_REVIEW',
  message: 'This browser subscribed under another key. Turn notifications off and on again.',
}
const FULL: Refusal = {
  code: 'LIMIT_EXCEEDED',
  message: `An account has at most ${MAX_DEVICES} devices. Remove one first.`,
}
const MISSING: Refusal = { code: 'NOT_FOUND', message: 'There is no such device.' }

const SHOWN = ['subscription_id', 'device', 'endpoint', 'created_at', 'last_sent_at', 'last_error'] as const
type Shown = Row<'push_subscription', (typeof SHOWN)[number]>

/** A device as lists show it. */
export const deviceView = ({ endpoint, created_at, last_sent_at, ...row }: Shown): PushDevice => ({
  ...row,
  service: serviceOf(endpoint),
  created_at: created_at.toISOString(),
  last_sent_at: last_sent_at?.toISOString() ?? null,
})

/** Adds the browser that asks, or confirms it: the same one again stays one, and is no event. */
export async function subscribe(
  { db, env }: Pick<Services, 'db' | 'env'>,
  input: SubscribeRequest,
  caller: Caller,
): Promise<Result<PushDevice>> {
  const fault = subscriptionFault(env, input)
  if (fault) return refuse(fault)
  return db.transaction(async (tx) => {
    if ((await announcedKey(tx)) !== input.server_key) return refuse(OTHER_KEY)
    if (!(await lockAccount(tx, caller))) return refuse(NO_ACCOUNT)
    const former = await ownerOf(tx, input.endpoint)
    const put = await putDevice(tx, input, caller)
    if (!put) return refuse(FULL)
    const { added, account_id, ...row } = put
    if (added || former !== account_id) {
      if (former)
        await recordDevice(tx, { ...row, account_id: former }, { actor: caller, removed: 'other_account' })
      await recordDevice(tx, { ...row, account_id }, { actor: caller })
    }
    return ok(deviceView(row))
  })
}

/** Whose this endpoint is, held until the transaction ends. */
async function ownerOf(tx: Db, endpoint: string): Promise<string | undefined> {
  const { rows } = await tx.query<Pick<KnownDevice, 'account_id'>>(
    sql`SELECT account_id FROM push_subscription WHERE endpoint = ${endpoint} FOR UPDATE`,
  )
  return rows[0]?.account_id
}

type Put = Shown & Pick<KnownDevice, 'account_id'> & { added: boolean }

/** `added` of a row that is new: it has no earlier version. */
async function putDevice(tx: Db, input: SubscribeRequest, caller: Caller): Promise<Put | undefined> {
  const { endpoint, keys, server_key, device, language } = input
  const id = `push_${crypto.randomUUID().replaceAll('-', '').slice(0, 12)}`
  const { rows } = await tx.query<Put>(sql`
    INSERT INTO push_subscription AS p (subscription_id, account_id, endpoint, p256dh, auth, server_key, device, language, sid)
    SELECT ${id}, ${caller.accountId}, ${endpoint}, ${keys.p256dh}, ${keys.auth}, ${server_key}, ${device}, ${language}, ${caller.sessionId ?? null}
    FROM push_subscription o WHERE o.account_id = ${caller.accountId} AND o.endpoint <> ${endpoint} HAVING count(*) < ${MAX_DEVICES}
    ON CONFLICT (endpoint) DO UPDATE SET account_id = EXCLUDED.account_id, server_key = EXCLUDED.server_key, device = EXCLUDED.device,
      language = EXCLUDED.language, sid = EXCLUDED.sid
    WHERE p.p256dh = EXCLUDED.p256dh AND p.auth = EXCLUDED.auth
    RETURNING subscription_id, account_id, device, endpoint, created_at, last_sent_at, last_error, p.xmax = 0 AS added`)
  return rows[0]
}

/** Removes a device of the account; messages that wait for it are dropped. */
export async function removeDevice(
  { db }: { db: Db },
  { subscription_id }: { subscription_id: string },
  caller: Caller,
): Promise<Result<{ subscription_id: string }>> {
  const own = sql`p.subscription_id = ${subscription_id} AND p.account_id = ${caller.accountId ?? null}`
  const removed = await removeDevices(db, own, { actor: caller, because: 'by_hand' })
  return removed > 0 ? ok({ subscription_id }) : refuse(MISSING)
}

/** Removes the devices of an account that are not of the session which stays; part of the caller's transaction. */
export async function removeDevicesOf(
  tx: Db,
  { accountId, exceptSid }: { accountId: string; exceptSid?: string | undefined },
  actor: Caller,
): Promise<void> {
  const others = exceptSid ? sql` AND p.sid IS DISTINCT FROM ${exceptSid}` : empty
  await removeDevices(tx, sql`p.account_id = ${accountId}${others}`, { actor, because: 'account_changed' })
}

/** False where the caller has no account that may be used. */
async function lockAccount(tx: Db, { accountId }: Caller): Promise<boolean> {
  const { rows } = await tx.query(
    sql`SELECT account_id FROM account WHERE account_id = ${accountId ?? null} AND disabled_at IS NULL FOR NO KEY UPDATE`,
  )
  return rows.length > 0
}
