import sql from 'sql-template-tag'
import { GATEWAY } from '#domain/authority/caller.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import type { Row } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { endSessionsOf } from './end-session.ts'
import { hashPassword, verifyPassword } from './password.ts'

export const OWNER_ACCOUNT = 'owner'

/**
 * Creates the owner's account when there is none, and sets its password to BLOOM_OWNER_PASSWORD when that is given and differs. May
 * run in several processes at once and at every start; an unchanged password ends no session.
 */
export async function ensureOwner(services: Pick<Services, 'db' | 'env'>): Promise<void> {
  const { rows } = await services.db.query<Row<'account', 'password_hash'>>(sql`
    WITH made AS (INSERT INTO account (account_id, role, name, created_by) VALUES (${OWNER_ACCOUNT}, 'owner', 'owner', 'gateway')
      ON CONFLICT DO NOTHING RETURNING password_hash)
    SELECT password_hash FROM made UNION ALL SELECT password_hash FROM account WHERE account_id = ${OWNER_ACCOUNT} LIMIT 1`)
  const wanted = services.env.BLOOM_OWNER_PASSWORD
  if (!wanted || (await verifyPassword(wanted, rows[0]?.password_hash ?? null))) return
  const hash = await hashPassword(wanted)
  await services.db.transaction(async (tx) => {
    await tx.query(
      sql`UPDATE account SET password_hash = ${hash}, updated_at = clock_timestamp() WHERE account_id = ${OWNER_ACCOUNT}`,
    )
    await endSessionsOf(tx, { accountId: OWNER_ACCOUNT })
    await recordEvent(tx, {
      name: 'config.changed',
      actor: GATEWAY,
      resource: { type: 'account', id: OWNER_ACCOUNT },
      details: { changed: 'password', from: 'environment' },
    })
  })
}
