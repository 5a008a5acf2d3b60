/**
 * The account's row stands between whoever opens a session and whoever ends them. Both lock it before they touch anything else, so neither passes
 * the other unseen: what opens waits and then finds the account as it is now, or it is committed and ended with the rest.
 *
 * Openers share the lock (FOR SHARE) and do not wait for each other. Enders take FOR NO KEY UPDATE, the lock that a change of the password takes
 * by itself: it conflicts with FOR SHARE, and not with the FOR KEY SHARE of foreign keys, so views, devices and digests of the
 * account are written meanwhile. For the same reason the foreign key of a new session alone holds nobody back.
 *
 * Order of locks: account, sign-in link or device, session. An opener never becomes an ender in its transaction.
 */
import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '#server/ledger/database.ts'
import { columns, type Row } from '#server/ledger/rows.ts'

const KNOWN = ['account_id', 'role', 'name', 'password_hash'] as const
export type Account = Row<'account', (typeof KNOWN)[number]>

/** Before a session is opened or stepped up: the active account `a` of this condition, which stays as it is until the transaction ends. */
export async function holdAccount(tx: Db, which: Sql): Promise<Account | undefined> {
  const { rows } = await tx.query<Account>(
    sql`SELECT ${columns('account', 'a', KNOWN)} FROM account a WHERE ${which} AND a.disabled_at IS NULL FOR SHARE`,
  )
  return rows[0]
}

/** The account while its password is the one that was checked. */
export const unchanged = ({
  account_id,
  password_hash,
}: Pick<Account, 'account_id' | 'password_hash'>): Sql =>
  sql`a.account_id = ${account_id} AND a.password_hash IS NOT DISTINCT FROM ${password_hash}`

/** The account of a session. */
export const accountOfSession = (sid: string | undefined): Sql =>
  sql`a.account_id = (SELECT s.account_id FROM session s WHERE s.sid = ${sid ?? null})`

/** Before sessions of the account `a` of this condition are ended: nobody opens one until the transaction ends. */
export async function lockAccount(tx: Db, which: Sql): Promise<void> {
  await tx.query(sql`SELECT FROM account a WHERE ${which} FOR NO KEY UPDATE`)
}
