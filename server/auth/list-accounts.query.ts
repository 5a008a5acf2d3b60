import type { AccountView } from '#contracts/auth.contract.ts'
import { ledgerNow } from '#server/ledger/clock.ts'
import { rowOf } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { openAt } from './list-sessions.query.ts'

/** Every account with its open sessions, at most 500. */
export async function listAccounts({ db, reads }: Pick<Services, 'db' | 'reads'>): Promise<AccountView[]> {
  const open = openAt(await ledgerNow(db))
  const rows = await reads.account.findMany({
    include: { _count: { select: { sessions: { where: open } } } },
    orderBy: [{ role: 'asc' }, { name: 'asc' }],
    take: 500,
  })
  return rows.map(({ _count, ...row }) => {
    const { account_id, role, name, password_hash, created_at, disabled_at } = rowOf('account', row)
    return {
      account_id,
      role,
      name,
      has_password: password_hash !== null,
      sessions: _count.sessions,
      created_at: created_at.toISOString(),
      disabled_at: disabled_at?.toISOString() ?? null,
    }
  })
}
