import sql from 'sql-template-tag'
import { GATEWAY } from '#domain/authority/caller.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import type { Row } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { endSessionsOf } from './end-session.ts'
import { hashPassword, verifyPassword } from './password.ts'

export const OWNER_ACCOUNT = 'owner'

/**
 * Creates the owner's account when there is none, and gives it BLOOM_OWNER_PASSWORD while it has no password. A password that was
 * set is never replaced from the environment: then this returns true when the variable says something else. May run in several
 * processes at once and at every start.
 */
export async function ensureOwner(services: Pick<Services, 'db' | 'env'>): Promise<boolean> {
  const { rows } = await services.db.query<Row<'account', 'password_hash'>>(sql`
    WITH made AS (INSERT INTO account (account_id, role, name, created_by) VALUES (${OWNER_ACCOUNT}, 'owner', 'owner', 'gateway')
      ON CONFLICT DO NOTHING RETURNING password_hash)
    SELECT password_hash FROM made UNION ALL SELECT password_hash FROM account WHERE account_id = ${OWNER_ACCOUNT} LIMIT 1`)
  const wanted = services.env.BLOOM_OWNER_PASSWORD
  const standing = rows[0]?.password_hash ?? null
  if (!wanted) return false
  if (standing !== null) return !(await verifyPassword(wanted, standing))
  await setFirstPassword(services.db, wanted)
  return false
}

/** Sets the password of an owner who has none; of several processes one sets it. */
async function setFirstPassword(db: Db, password: string): Promise<void> {
  const hash = await hashPassword(password)
  await db.transaction(async (tx) => {
    const { rowCount } =
      await tx.query(sql`UPDATE account SET password_hash = ${hash}, updated_at = clock_timestamp()
      WHERE account_id = ${OWNER_ACCOUNT} AND password_hash IS NULL`)
    if (!rowCount) return
    await endSessionsOf(tx, { accountId: OWNER_ACCOUNT, actor: GATEWAY })
    await recordEvent(tx, {
      name: 'config.changed',
      actor: GATEWAY,
      resource: { type: 'account', id: OWNER_ACCOUNT },
      details: { changed: 'password', from: 'environment' },
    })
  })
}
