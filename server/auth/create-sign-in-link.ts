import { randomBytes } from 'node:crypto'
import sql from 'sql-template-tag'
import type { Db } from '#server/ledger/database.ts'
import type { Services } from '#server/services.ts'
import { OWNER_ACCOUNT } from './ensure-owner.ts'
import { lockAccount } from './lock-account.ts'
import { tokenHash } from './sign-in.ts'

/**
 * A one-time sign-in link for the owner, good for 24 hours: `<PUBLIC_URL>/sign-in#t=<256-bit token>`. The token is in the
 * fragment, which browsers send to no server; only its hash is kept. Earlier unused links stop working.
 *
 * Without `force` there is a link only while no owner has ever signed in and none has a password; null otherwise.
 */
export async function createSignInLink(
  services: Pick<Services, 'db' | 'env'>,
  options: { force?: boolean } = {},
): Promise<string | null> {
  const token = randomBytes(32).toString('base64url')
  const made = await services.db.transaction(async (tx) => {
    await lockAccount(tx, sql`a.account_id = ${OWNER_ACCOUNT}`)
    if (!options.force && (await ownerHasSignedIn(tx))) return false
    await tx.query(
      sql`UPDATE sign_in_link SET used_at = clock_timestamp() WHERE account_id = ${OWNER_ACCOUNT} AND used_at IS NULL`,
    )
    await tx.query(sql`INSERT INTO sign_in_link (token_hash, account_id, expires_at)
      VALUES (${tokenHash(token)}, ${OWNER_ACCOUNT}, clock_timestamp() + interval '24 hours')`)
    return true
  })
  return made ? `${services.env.PUBLIC_URL}/sign-in#t=${token}` : null
}

async function ownerHasSignedIn(db: Db): Promise<boolean> {
  const { rows } = await db.query<{
    done: boolean
  }>(sql`SELECT EXISTS (SELECT 1 FROM session WHERE role = 'owner')
    OR EXISTS (SELECT 1 FROM account WHERE role = 'owner' AND password_hash IS NOT NULL) AS done`)
  return rows[0]?.done ?? false
}
