import sql from 'sql-template-tag'
import { type PasswordFault, passwordFault } from '#domain/account/password.rules.ts'
import type { Caller } from '#domain/authority/caller.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import type { Row } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { endSessionsOf } from './end-session.ts'
import { EXPIRED } from './identify.ts'
import { holdAccount, unchanged } from './lock-account.ts'
import { hashPassword, verifyPassword } from './password.ts'
import { giveBackAttempts, takeAttempts } from './take-attempts.ts'

type Needed = Pick<Services, 'db' | 'env'>

const MESSAGES: Record<PasswordFault, string> = {
  too_short: 'Use at least 12 characters; 15 or more are better.',
  too_long: 'Use at most 128 characters.',
  too_common: 'This password is too easy to guess.',
}

export const passwordRefusal = (fault: PasswordFault): Refusal => ({
  code: 'VALIDATION_FAILED',
  message: MESSAGES[fault],
  details: [{ field: 'password', message: MESSAGES[fault], reason: fault }],
})
const WRONG: Refusal = { code: 'FORBIDDEN', message: 'The password is wrong.' }
const NO_ACCOUNT: Refusal = { code: 'FORBIDDEN', message: 'This session has no account.' }

/**
 * Sets the caller's own password. The first one needs nothing else (the owner came by a link); a later one needs the current.
 * Every other session of the account ends, and this one counts as stepped up.
 */
export async function setPassword(
  services: Needed,
  input: { password: string; current?: string | undefined },
  caller: Caller,
): Promise<Result<{ ended_sessions: number }>> {
  const account = await ownAccount(services, caller)
  if (!account) return refuse(NO_ACCOUNT)
  const fault = passwordFault(input.password, account.name)
  if (fault) return refuse(passwordRefusal(fault))
  if (account.password_hash !== null) {
    const checked = await checkPassword(services, account, input.current ?? '')
    if (!checked.ok) return checked
  }
  const hash = await hashPassword(input.password)
  const ended = await services.db.transaction(async (tx) => {
    // The hash that was checked is part of the guard: of two changes at once the second one sees that it lost.
    const { rowCount } =
      await tx.query(sql`UPDATE account SET password_hash = ${hash}, updated_at = clock_timestamp()
      WHERE account_id = ${account.account_id} AND password_hash IS NOT DISTINCT FROM ${account.password_hash}`)
    if (!rowCount) return null
    await tx.query(
      sql`UPDATE session SET step_up_at = clock_timestamp() WHERE sid = ${caller.sessionId ?? ''}`,
    )
    const stays = { exceptSid: caller.sessionId, actor: caller }
    const count = await endSessionsOf(tx, { accountId: account.account_id, ...stays })
    const resource = { type: 'account', id: account.account_id }
    await recordEvent(tx, {
      name: 'config.changed',
      actor: caller,
      resource,
      details: { changed: 'password' },
    })
    return count
  })
  if (ended === null)
    return refuse({
      code: 'CONCURRENT_MODIFICATION',
      message: 'Your password was changed in the meantime. Sign in with the new one.',
    })
  return ok({ ended_sessions: ended })
}

/** The password again: for five minutes the session may do what needs a step-up [auth#step-up]. One that was changed or ended meanwhile may not. */
export async function stepUp(
  services: Needed,
  { password }: { password: string },
  caller: Caller,
): Promise<Result<{ seconds: number }>> {
  const account = await ownAccount(services, caller)
  if (!account) return refuse(NO_ACCOUNT)
  if (account.password_hash === null) {
    return refuse({
      code: 'STEP_UP_REQUIRED',
      message: 'Set a password first, then confirm this action.',
      details: { set_password: true },
    })
  }
  const checked = await checkPassword(services, account, password)
  if (!checked.ok) return checked
  return services.db.transaction(async (tx) => {
    if (!(await holdAccount(tx, unchanged(account)))) return refuse(WRONG)
    const { rowCount } = await tx.query(
      sql`UPDATE session SET step_up_at = clock_timestamp() WHERE sid = ${caller.sessionId ?? ''} AND ended_at IS NULL`,
    )
    if (!rowCount) return refuse(EXPIRED)
    await recordEvent(tx, {
      name: 'step_up.ok',
      actor: caller,
      resource: { type: 'account', id: account.account_id },
    })
    return ok({ seconds: 300 })
  })
}

type OwnAccount = Row<'account', 'account_id' | 'name' | 'password_hash'>

async function ownAccount(services: Needed, caller: Caller): Promise<OwnAccount | undefined> {
  const { rows } = await services.db.query<OwnAccount>(
    sql`SELECT account_id, name, password_hash FROM account WHERE account_id = ${caller.accountId ?? null} AND disabled_at IS NULL`,
  )
  return rows[0]
}

/** Counted apart from sign-ins, so that failed sign-ins do not keep the owner's own session from stepping up. */
async function checkPassword(services: Needed, account: OwnAccount, password: string): Promise<Result<true>> {
  const subject = `step-up:${account.account_id}`
  const taken = await takeAttempts(services.db, [
    { subject, max: services.env.RATE_SIGN_INS, period: '15 minutes' },
  ])
  if (!taken.ok) return taken
  if (!(await verifyPassword(password, account.password_hash))) return refuse(WRONG)
  await giveBackAttempts(services.db, taken.value, subject)
  return ok(true)
}
