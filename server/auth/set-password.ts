import sql from 'sql-template-tag'
import { type PasswordFault, passwordFault } from '#domain/account/password.rules.ts'
import type { Caller } from '#domain/authority/caller.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Services } from '#server/composition/services.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { giveBackTries, takeTries } from './access-tries.ts'
import { endSessionsOf } from './end-session.ts'
import { hashPassword, verifyPassword } from './password.ts'

type Needs = Pick<Services, 'database' | 'db' | 'env' | 'hints'>

const SAYS: Record<PasswordFault, string> = {
  too_short: 'Use at least 12 characters; 15 or more are better.',
  too_long: 'Use at most 128 characters.',
  too_common: 'This password is too easy to guess.',
}

export const passwordRefusal = (fault: PasswordFault): Refusal => ({
  code: 'VALIDATION_FAILED',
  message: SAYS[fault],
  details: [{ field: 'password', message: SAYS[fault], reason: fault }],
})
const WRONG: Refusal = { code: 'FORBIDDEN', message: 'The password is wrong.' }
const NO_ACCOUNT: Refusal = { code: 'FORBIDDEN', message: 'This session has no account.' }

/**
 * Sets the caller's own password. The first one needs nothing else (the owner came by a link); a later one needs the current.
 * Every other session of the account ends, and this one counts as stepped up.
 */
export async function setPassword(
  services: Needs,
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
  const ended = await services.database.transaction(async (tx) => {
    // The hash that was checked is part of the guard: of two changes at once the second one sees that it lost.
    const { rowCount } =
      await tx.query(sql`UPDATE account SET password_hash = ${hash}, updated_at = clock_timestamp()
      WHERE account_id = ${account.account_id} AND password_hash IS NOT DISTINCT FROM ${account.password_hash}`)
    if (!rowCount) return null
    await tx.query(
      sql`UPDATE session SET step_up_at = clock_timestamp() WHERE sid = ${caller.sessionId ?? ''}`,
    )
    const count = await endSessionsOf(tx, { accountId: account.account_id, exceptSid: caller.sessionId })
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
    return refuse({ code: 'CONCURRENT_MODIFICATION', message: 'The password was changed meanwhile.' })
  services.hints.hint('sessions')
  return ok({ ended_sessions: ended })
}

/** Types the password again: for five minutes the session may do what needs a step-up (contract page 09, section 3.2). */
export async function stepUp(
  services: Needs,
  password: string,
  caller: Caller,
): Promise<Result<{ seconds: number }>> {
  const account = await ownAccount(services, caller)
  if (!account) return refuse(NO_ACCOUNT)
  if (account.password_hash === null) {
    return refuse({
      code: 'STEP_UP_REQUIRED',
      message: 'Set a password first.',
      details: { set_password: true },
    })
  }
  const checked = await checkPassword(services, account, password)
  if (!checked.ok) return checked
  await services.database.transaction(async (tx) => {
    await tx.query(
      sql`UPDATE session SET step_up_at = clock_timestamp() WHERE sid = ${caller.sessionId ?? ''} AND ended_at IS NULL`,
    )
    await recordEvent(tx, {
      name: 'step_up.ok',
      actor: caller,
      resource: { type: 'account', id: account.account_id },
    })
  })
  return ok({ seconds: 300 })
}

type Own = { account_id: string; name: string; password_hash: string | null }

async function ownAccount(services: Needs, caller: Caller): Promise<Own | undefined> {
  const { rows } = await services.db.query<Own>(
    sql`SELECT account_id, name, password_hash FROM account WHERE account_id = ${caller.accountId ?? null} AND disabled_at IS NULL`,
  )
  return rows[0]
}

/** Bounded apart from sign-ins, so that failures at the door do not keep the owner's own session from stepping up. */
async function checkPassword(services: Needs, account: Own, password: string): Promise<Result<true>> {
  const subject = `step-up:${account.account_id}`
  const taken = await takeTries(services.database, [
    { subject, max: services.env.RATE_SIGN_INS, period: '15 minutes' },
  ])
  if (!taken.ok) return taken
  if (!(await verifyPassword(password, account.password_hash))) return refuse(WRONG)
  await giveBackTries(services.database, taken.value, subject)
  return ok(true)
}
