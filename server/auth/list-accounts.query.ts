import sql from 'sql-template-tag'
import type { AccountView } from '#contracts/auth.contract.ts'
import { columns, type Row } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { OPEN_SESSION } from './list-sessions.query.ts'

const SHOWN = ['account_id', 'role', 'name', 'created_at', 'disabled_at'] as const
type AccountRow = Row<'account', (typeof SHOWN)[number]> & { has_password: boolean; sessions: number }

/** Every account with its open sessions, at most 500. SQL: a correlated count, dated by the database clock. */
export async function listAccounts(services: Pick<Services, 'db'>): Promise<AccountView[]> {
  const { rows } = await services.db.query<AccountRow>(sql`
    SELECT ${columns('account', 'a', SHOWN)}, a.password_hash IS NOT NULL AS has_password,
      (SELECT count(*) FROM session s WHERE s.account_id = a.account_id AND ${OPEN_SESSION})::int AS sessions
    FROM account a ORDER BY a.role, a.name LIMIT 500`)
  return rows.map((row) => ({
    ...row,
    created_at: row.created_at.toISOString(),
    disabled_at: row.disabled_at?.toISOString() ?? null,
  }))
}
