'use client'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useTranslations } from 'use-intl/react'
import type { AccountView } from '#contracts/auth.contract.ts'
import { may } from '#domain/authority/matrix.ts'
import { useSession } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { columnsOf } from '#ui/data-table-columns.ts'
import { Section } from '#ui/section.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import { RelativeTime } from '#ui/time.tsx'
import { ACCOUNT, accountStateOf } from '../status.ts'
import { AccountActions } from './account-actions.tsx'
import { CreateOperator } from './create-operator.tsx'

/** Who may come in by name: the owner and the operators. For the owner alone. */
export function AccountsSection() {
  return may(useSession().role, 'account.manage') ? <Accounts /> : null
}

function Accounts() {
  const t = useTranslations('settings')
  const trpc = useTRPC()
  const list = useQuery(trpc.accounts.list.queryOptions())
  const columns = useAccountColumns()
  return (
    <Section title={t('accounts')} hint={t('accountsHint')} actions={<CreateOperator />}>
      <DataTable
        label={t('accounts')}
        columns={columns}
        rows={list.data}
        rowId={(a) => a.account_id}
        rowName={(a) => a.name}
        scope={`accounts ${list.dataUpdatedAt}`}
        error={list.error}
        onRetry={() => list.refetch()}
        keyboard={false}
        empty={null}
      />
    </Section>
  )
}

function useAccountColumns() {
  const t = useTranslations('settings')
  return useMemo(
    () =>
      columnsOf<AccountView>([
        {
          id: 'name',
          header: t('name'),
          width: 'w-full max-w-0',
          card: 'title',
          cell: (a) => <span className={a.disabled_at ? 'text-ink-3' : 'font-medium'}>{a.name}</span>,
        },
        { id: 'role', header: t('role'), cell: (a) => t(a.role) },
        {
          id: 'state',
          header: t('state'),
          cell: (a) => {
            const state = accountStateOf(a)
            return <StatusBadge {...ACCOUNT[state]}>{t(`accountStates.${state}`)}</StatusBadge>
          },
        },
        {
          id: 'sessions',
          header: t('openSessions'),
          align: 'end',
          card: 'fact',
          cell: (a) => <span className={a.sessions ? '' : 'text-ink-3'}>{a.sessions}</span>,
        },
        {
          id: 'created',
          header: t('since'),
          card: 'fact',
          cell: (a) => <RelativeTime at={a.created_at} className="text-ink-2" />,
        },
        {
          id: 'acts',
          header: '',
          name: t('accountActions'),
          align: 'end',
          card: 'corner',
          cell: (a) => <AccountActions account={a} />,
        },
      ]),
    [t],
  )
}
