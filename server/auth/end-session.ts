import { createHash } from 'node:crypto'
import sql, { type Sql } from 'sql-template-tag'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { removeDevicesOf } from '#server/push-devices/manage-devices.ts'
import { removeDevices } from '#server/push-devices/remove-devices.ts'
import type { Services } from '#server/services.ts'
import { accountOfSession, lockAccount } from './lock-account.ts'

/** How a list names a session without giving its id away. */
export const sessionName = (sid: string): string =>
  createHash('sha256').update(`session:${sid}`).digest('hex').slice(0, 16)

/** Ends the caller's own session: its next request is refused, its streams close. */
export async function signOut(services: Pick<Services, 'db'>, caller: Caller): Promise<void> {
  if (!caller.sessionId) return
  await endAndRecord(services, caller, sql`sid = ${caller.sessionId}`, 'self')
}

/** Ends every session of the caller's account but the one it asks with. */
export async function endOtherSessions(services: Pick<Services, 'db'>, caller: Caller): Promise<number> {
  if (!caller.accountId) return 0
  return endAndRecord(
    services,
    caller,
    sql`account_id = ${caller.accountId} AND sid IS DISTINCT FROM ${caller.sessionId ?? null}`,
    'others',
  )
}

/** Ends one session of the caller's account by its name in the list. */
export async function endSession(
  services: Pick<Services, 'db'>,
  { session }: { session: string },
  caller: Caller,
): Promise<Result<{ ended: true }>> {
  const named = sql`substr(encode(sha256(convert_to('session:' || sid, 'UTF8')), 'hex'), 1, 16) = ${session}`
  const own = sql`account_id = ${caller.accountId ?? null} AND ${named}`
  if ((await endAndRecord(services, caller, own, 'one')) > 0) return ok({ ended: true })
  return refuse({ code: 'NOT_FOUND', message: 'There is no such session.' })
}

/** Ends the sessions of an account, with the devices that were confirmed there, or of a zone; part of the caller's transaction. */
export async function endSessionsOf(
  tx: Db,
  of: { accountId: string; exceptSid?: string | undefined; actor: Caller } | { zoneId: string },
): Promise<number> {
  if ('zoneId' in of) return endOfZone(tx, of.zoneId)
  const { accountId, exceptSid, actor } = of
  await lockAccount(tx, sql`a.account_id = ${accountId}`)
  await removeDevicesOf(tx, of, actor)
  return end(tx, sql`account_id = ${accountId} AND sid IS DISTINCT FROM ${exceptSid ?? null}`, actor)
}

/** Ends sessions of accounts. A device that is signed out gets no more notifications; a session that only ran out leaves it as it is. */
async function end(tx: Db, which: Sql, actor: Caller): Promise<number> {
  const { rows } = await tx.query<{ sid: string }>(
    sql`UPDATE session SET ended_at = clock_timestamp() WHERE ended_at IS NULL AND ${which} RETURNING sid`,
  )
  const there = sql`p.sid = ANY(${rows.map(({ sid }) => sid)}::text[])`
  if (rows.length > 0) await removeDevices(tx, there, { actor, because: 'signed_out' })
  return announced(tx, rows.length)
}

/** Guests have no devices. */
async function endOfZone(tx: Db, zoneId: string): Promise<number> {
  const { rowCount } = await tx.query(
    sql`UPDATE session SET ended_at = clock_timestamp() WHERE ended_at IS NULL AND zone_id = ${zoneId}`,
  )
  return announced(tx, rowCount)
}

function announced(tx: Db, ended: number | null | undefined): number {
  if (ended) tx.notify('sessions')
  return ended ?? 0
}

function endAndRecord(
  services: Pick<Services, 'db'>,
  caller: Caller,
  which: Sql,
  scope: string,
): Promise<number> {
  return services.db.transaction(async (tx) => {
    const { accountId, sessionId } = caller
    await lockAccount(tx, accountId ? sql`a.account_id = ${accountId}` : accountOfSession(sessionId))
    const count = await end(tx, which, caller)
    if (count === 0) return 0
    await recordEvent(tx, {
      name: 'auth.logout',
      actor: caller,
      resource: { type: 'session', id: caller.sessionId ? sessionName(caller.sessionId) : caller.identity },
      details: { scope, sessions: count },
    })
    return count
  })
}
