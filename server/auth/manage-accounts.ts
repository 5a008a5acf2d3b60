/** Accounts of operators, created and disabled by an owner; the operations ask for a step-up. */
import { randomBytes } from 'node:crypto'
import sql from 'sql-template-tag'
import { passwordFault } from '#domain/account/password.rules.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import type { Services } from '#server/services.ts'
import { endSessionsOf } from './end-session.ts'
import { hashPassword } from './password.ts'
import { passwordRefusal } from './set-password.ts'

const MISSING = refuse({ code: 'NOT_FOUND', message: 'There is no active operator with this id.' })

/** Creates an operator. A name is never given twice: the audit refers to it. */
export async function createOperator(
  services: Pick<Services, 'db'>,
  input: { name: string; password: string },
  caller: Caller,
): Promise<Result<{ account_id: string }>> {
  const fault = passwordFault(input.password, input.name)
  if (fault) return refuse(passwordRefusal(fault))
  const hash = await hashPassword(input.password)
  const accountId = `op_${randomBytes(8).toString('hex')}`
  const made = await services.db.transaction(async (tx) => {
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
  const message = 'This name is already taken. Choose another one.'
  return refuse({ code: 'VALIDATION_FAILED', message, details: [{ field: 'name', message }] })
}

/** Disables an operator permanently; its sessions end at once. */
export function disableOperator(
  services: Pick<Services, 'db'>,
  input: { account_id: string },
  caller: Caller,
): Promise<Result<true>> {
  const set = sql`disabled_at = clock_timestamp()`
  return changeOperator(services, input.account_id, set, 'disabled', caller)
}

/** Gives an operator a new password; its sessions end at once. */
export async function resetOperatorPassword(
  services: Pick<Services, 'db'>,
  input: { account_id: string; password: string },
  caller: Caller,
): Promise<Result<true>> {
  const fault = passwordFault(input.password, '')
  if (fault) return refuse(passwordRefusal(fault))
  const set = sql`password_hash = ${await hashPassword(input.password)}`
  return changeOperator(services, input.account_id, set, 'password', caller)
}

async function changeOperator(
  services: Pick<Services, 'db'>,
  accountId: string,
  set: ReturnType<typeof sql>,
  changed: string,
  caller: Caller,
): Promise<Result<true>> {
  const done = await services.db.transaction(async (tx) => {
    const { rowCount } = await tx.query(sql`UPDATE account SET ${set}, updated_at = clock_timestamp()
      WHERE account_id = ${accountId} AND role = 'operator' AND disabled_at IS NULL`)
    if (!rowCount) return false
    await endSessionsOf(tx, { accountId, actor: caller })
    await recordEvent(tx, {
      name: 'config.changed',
      actor: caller,
      resource: { type: 'account', id: accountId },
      details: { changed },
    })
    return true
  })
  if (!done) return MISSING
  return ok(true)
}
