'use client'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useTranslations } from 'use-intl/react'
import type { RuleView } from '#contracts/approval-rule.contract.ts'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { DataTable } from '#ui/data-table.tsx'
import { columnsOf } from '#ui/data-table-columns.ts'
import { EmptyState } from '#ui/empty-state.tsx'
import { Section } from '#ui/section.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import { RelativeTime } from '#ui/time.tsx'
import { conditionText } from '../rule-values.ts'
import { RULE_STYLES, ruleStateOf } from '../status.ts'
import { useRuleIds } from '../use-rule-ids.ts'
import { CreateRule } from './create-rule.tsx'
import { RuleActions } from './rule-actions.tsx'

/** The rules in the order of their evaluation, what each did today, and for the owner everything that changes them. */
export function RulesSection() {
  const t = useTranslations('approvalRules')
  const trpc = useTRPC()
  const list = useQuery(trpc.approvalRules.list.queryOptions())
  // Matches move without an event of the rules: with proposals that are created.
  useLiveQueries(
    ['governance.changed', 'proposal.created'],
    trpc.approvalRules.list.pathFilter(),
    POLL_MS.slow,
  )
  const rules = list.data?.items
  const columns = useRuleColumns()
  return (
    <Section title={t('title')} hint={t('hint')} actions={<CreateRule />}>
      <DataTable
        label={t('title')}
        columns={columns}
        rows={rules}
        rowId={(rule) => rule.rule_id}
        rowName={(rule) => rule.name}
        scope={`rules ${list.dataUpdatedAt}`}
        error={list.error}
        onRetry={() => list.refetch()}
        keyboard={false}
        empty={<EmptyState title={t('empty')}>{t('emptyHint')}</EmptyState>}
      />
    </Section>
  )
}

/** The same columns whatever the rules do meanwhile: new ones would close what is open in a row, with what was written in it. */
function useRuleColumns() {
  const t = useTranslations('approvalRules')
  return useMemo(
    () =>
      columnsOf<RuleView>([
        {
          id: 'name',
          header: t('rule'),
          width: 'w-full max-w-0',
          card: 'title',
          cell: (rule) => <Name of={rule} />,
        },
        {
          id: 'state',
          header: t('state'),
          cell: (rule) => {
            const state = ruleStateOf(rule)
            return <StatusBadge {...RULE_STYLES[state]}>{t(`states.${state}`)}</StatusBadge>
          },
        },
        { id: 'today', header: t('today'), card: 'fact', cell: (rule) => <Today of={rule} /> },
        {
          id: 'last',
          header: t('lastMatch'),
          card: 'fact',
          cell: (rule) =>
            rule.last_matched_at ? (
              <RelativeTime at={rule.last_matched_at} className="text-ink-2" />
            ) : (
              <span className="text-ink-3">{t('never')}</span>
            ),
        },
        {
          id: 'actions',
          header: '',
          name: t('actions'),
          align: 'end',
          card: 'corner',
          cell: (rule) => <RuleActions of={rule} />,
        },
      ]),
    [t],
  )
}

function Name({ of: rule }: { of: RuleView }) {
  const t = useTranslations('approvalRules')
  const place = useRuleIds().indexOf(rule.rule_id) + 1
  return (
    <span className="block min-w-0 py-(--row-pad)">
      <span className={`block truncate ${rule.mode === 'off' ? 'text-ink-2' : 'font-medium'}`}>
        {place > 0 ? <span className="mr-1 text-ink-3 tabular-nums">{place}</span> : null}{' '}
        <span>{rule.name}</span>
      </span>
      <span className="block truncate font-mono text-sm text-ink-3">{conditionText(rule.condition)}</span>
      {rule.broken ? (
        <span className="block text-sm whitespace-normal text-failed">
          {t('brokenHint', { reason: rule.broken })}
        </span>
      ) : null}
    </span>
  )
}

/** Approvals under the cap; beside them matches that approved nothing, as all of a rule in shadow. */
function Today({ of: rule }: { of: RuleView }) {
  const t = useTranslations('approvalRules')
  const { approved_today: approved, matched_today: count, daily_cap: cap } = rule
  return (
    <span className="tabular-nums">
      {cap === null ? approved : t('todayOf', { approved, cap })}{' '}
      {count > approved ? <span className="ml-1 text-ink-3">{t('matched', { count })}</span> : null}
    </span>
  )
}
