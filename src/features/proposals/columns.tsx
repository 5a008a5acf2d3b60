import { useMemo } from 'react'
import { useTranslations } from 'use-intl/react'
import type { ProposalItem } from '#contracts/proposal.contract.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { columnsOf } from '#ui/data-table-columns.ts'
import { Id } from '#ui/id.tsx'
import { RelativeTime } from '#ui/time.tsx'
import { DecidedStatus, ProposalStatus } from './components/proposal-status.tsx'
import { RiskBadge } from './components/risk.tsx'
import { ExpiresSoon } from './components/time-to-live.tsx'
import type { Tab } from './input.ts'

const UNDECIDED = proposalMachine.events.create.to

/** What the time of a row is, where it is not that of its creation. */
const TIMES: Partial<Record<Tab, 'expires' | 'returns'>> = { decide: 'expires', snoozed: 'returns' }

/** True for a row that was decided or put off while the list was open. */
const isDecided = (p: ProposalItem): boolean => p.status !== UNDECIDED || p.snoozed_until !== null

/** The list is narrow beside the diff, so a row shows the change in two lines and a time. */
export function useProposalColumns(tab: Tab) {
  const t = useTranslations('proposals')
  return useMemo(
    () =>
      columnsOf<ProposalItem>([
        {
          id: 'summary',
          header: t('summary'),
          width: 'w-full max-w-0',
          card: 'title',
          cell: (p) => <Change proposal={p} decided={tab === 'decide' && isDecided(p)} />,
        },
        ...(tab === 'decide' || tab === 'snoozed'
          ? []
          : [
              {
                id: 'status',
                header: '',
                name: t('proposal'),
                card: 'corner' as const,
                cell: (p: ProposalItem) => <ProposalStatus proposal={p} />,
              },
            ]),
        {
          id: 'time',
          header: t(TIMES[tab] ?? 'created'),
          align: 'end',
          card: 'fact',
          cell: (p) => (tab === 'decide' && isDecided(p) ? null : <Time tab={tab} proposal={p} />),
        },
      ]),
    [t, tab],
  )
}

function Time({ tab, proposal: p }: { tab: Tab; proposal: ProposalItem }) {
  const at = { decide: p.expires_at, snoozed: p.snoozed_until }[tab as 'decide'] ?? p.created_at
  return <RelativeTime at={at} className="text-ink-3" />
}

/** What was decided while the list was open says so in its second line, so that no column changes its width. */
function Change({ proposal: p, decided }: { proposal: ProposalItem; decided: boolean }) {
  const t = useTranslations('proposals')
  const conflict =
    p.status === UNDECIDED && p.freshness !== null && p.freshness.state !== 'clean' && !p.freshness.mergeable
  return (
    <span className="block min-w-0 py-(--row-pad)">
      <span className={p.seen ? 'block truncate' : 'block truncate font-semibold'}>{p.summary}</span>
      {decided ? <DecidedStatus proposal={p} /> : <Origin proposal={p} />}
      {conflict ? <span className="block truncate text-sm text-failed">{t('conflict')}</span> : null}
    </span>
  )
}

function Origin({ proposal: p }: { proposal: ProposalItem }) {
  const t = useTranslations('proposals')
  return (
    <span className="flex gap-x-3 truncate text-sm text-ink-3">
      <span>{p.agent ?? t('owner')}</span>
      <span className="min-w-0 truncate font-mono">{p.target.path}</span>
      <span className="tabular whitespace-nowrap">
        {t('changed', { added: p.additions, removed: p.deletions })}
      </span>
      {p.status === UNDECIDED ? <RiskBadge risk={p.risk} /> : null}
      {p.status === UNDECIDED ? <ExpiresSoon until={p.expires_at} /> : null}
      {p.git_commit ? <Id value={p.git_commit} /> : null}
      {p.priority === 'high' ? <span className="whitespace-nowrap text-waiting">{t('high')}</span> : null}
    </span>
  )
}
