/** Accounts of operators, made and ended by an owner (contract page 09, sections 1 and 2; step-up by the procedures). */
import { randomBytes } from 'node:crypto'
import sql from 'sql-template-tag'
import type { AccountView } from '#contracts/auth.contract.ts'
import { passwordFault } from '#domain/account/password.rules.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Services } from '#server/composition/services.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { endSessionsOf } from './end-session.ts'
import { hashPassword } from './password.ts'
import { passwordRefusal } from './set-password.ts'

type Needs = Pick<Services, 'database' | 'db' | 'hints'>

type AccountRow = Omit<AccountView, 'created_at' | 'disabled_at'> & {
  created_at: Date
  disabled_at: Date | null
}

const MISSING = refuse({ code: 'NOT_FOUND', message: 'There is no such operator.' })

export async function listAccounts(services: Pick<Services, 'db'>): Promise<AccountView[]> {
  const { rows } = await services.db.query<AccountRow>(sql`
    SELECT a.account_id, a.role, a.name, a.password_hash IS NOT NULL AS has_password, a.created_at, a.disabled_at,
      (SELECT count(*) FROM session s WHERE s.account_id = a.account_id AND s.ended_at IS NULL AND s.expires_at > clock_timestamp()
        AND s.last_seen_at > clock_timestamp() - interval '12 hours')::int AS sessions
    FROM account a ORDER BY a.role, a.name LIMIT 500`)
  return rows.map((row) => ({
    ...row,
    created_at: row.created_at.toISOString(),
    disabled_at: row.disabled_at?.toISOString() ?? null,
  }))
}

/** Makes an operator. A name that was ever given is not given again: the audit speaks of it. */
export async function createOperator(
  services: Needs,
  input: { name: string; password: string },
  caller: Caller,
): Promise<Result<{ account_id: string }>> {
  const fault = passwordFault(input.password, input.name)
  if (fault) return refuse(passwordRefusal(fault))
  const hash = await hashPassword(input.password)
  const accountId = `op_${randomBytes(8).toString('hex')}`
  const made = await services.database.transaction(async (tx) => {
    const { rowCount } =
      await tx.query(sql`INSERT INTO account (account_id, role, name, password_hash, created_by)
      VALUES (${accountId}, 'operator', ${input.name}, ${hash}, ${caller.identity}) ON CONFLICT DO NOTHING`)
    if (!rowCount) return false
    const resource = { type: 'account', id: accountId }
    await recordEvent(tx, {
      name: 'config.changed',
      actor: caller,
      resource,
      details: { changed: 'created', name: input.name },
    })
    return true
  })
  if (made) return ok({ account_id: accountId })
  const message = 'This name is taken.'
  return refuse({ code: 'VALIDATION_FAILED', message, details: [{ field: 'name', message }] })
}

/** Disables an operator for good; its sessions end at once. */
export function disableOperator(
  services: Needs,
  input: { account_id: string },
  caller: Caller,
): Promise<Result<true>> {
  const set = sql`disabled_at = clock_timestamp()`
  return changeOperator(services, input.account_id, set, 'disabled', caller)
}

/** Gives an operator a new password; its sessions end at once. */
export async function resetOperatorPassword(
  services: Needs,
  input: { account_id: string; password: string },
  caller: Caller,
): Promise<Result<true>> {
  const fault = passwordFault(input.password, '')
  if (fault) return refuse(passwordRefusal(fault))
  const set = sql`password_hash = ${await hashPassword(input.password)}`
  return changeOperator(services, input.account_id, set, 'password', caller)
}

async function changeOperator(
  services: Needs,
  accountId: string,
  set: ReturnType<typeof sql>,
  changed: string,
  caller: Caller,
): Promise<Result<true>> {
  const done = await services.database.transaction(async (tx) => {
    const { rowCount } = await tx.query(sql`UPDATE account SET ${set}, updated_at = clock_timestamp()
      WHERE account_id = ${accountId} AND role = 'operator' AND disabled_at IS NULL`)
    if (!rowCount) return false
    await endSessionsOf(tx, { accountId })
    await recordEvent(tx, {
      name: 'config.changed',
      actor: caller,
      resource: { type: 'account', id: accountId },
      details: { changed },
    })
    return true
  })
  if (!done) return MISSING
  services.hints.hint('sessions')
  return ok(true)
}
