'use client'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { AlikeGroupView } from '#contracts/proposal-batch.contract.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { ErrorState } from '#ui/error-state.tsx'
import { Icon } from '#ui/icon.tsx'
import { DiffView } from '#ui/lazy.tsx'
import { Section } from '#ui/section.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'

type Member = AlikeGroupView['members'][number]
type Props = {
  members: readonly Member[]
  opened: ReadonlySet<string>
  /** Told once the diff of an outlier is on screen. */
  open: (id: string) => void
}

/** The members that are not like the others, each with why; what they change is shown when they are opened. */
export function Outliers({ members, opened, open }: Props) {
  const t = useTranslations('proposals')
  return (
    <Section title={t('outliers')} hint={t('outliersHint')}>
      <ul className="space-y-2">
        {members.map((member) => (
          <li key={member.proposal_id}>
            <Outlier member={member} opened={opened.has(member.proposal_id)} open={open} />
          </li>
        ))}
      </ul>
    </Section>
  )
}

function Outlier({ member, opened, open }: { member: Member; opened: boolean; open: Props['open'] }) {
  const t = useTranslations('proposals')
  return (
    <Fold
      summary={
        <>
          <span className="min-w-0 flex-1 basis-48 break-words font-medium">{member.summary}</span>
          {member.outlier.map((reason) => (
            <StatusBadge key={reason} tone="waiting">
              {t(`outlier.${reason}`)}
            </StatusBadge>
          ))}
          {opened ? <StatusBadge tone="done">{t('outlierOpened')}</StatusBadge> : null}
        </>
      }
    >
      <OutlierDiff id={member.proposal_id} shown={open} />
    </Fold>
  )
}

function OutlierDiff({ id, shown }: { id: string; shown: (id: string) => void }) {
  const t = useTranslations('proposals')
  const proposal = useQuery(useTRPC().proposals.get.queryOptions({ proposal_id: id }))
  const there = proposal.data !== undefined
  useEffect(() => {
    if (there) shown(id)
  }, [there, shown, id])
  if (proposal.error) return <ErrorState error={proposal.error} onRetry={() => proposal.refetch()} />
  if (!proposal.data) return <Skeleton lines={6} label={t('proposal')} />
  return proposal.data.changes.map((change) => (
    <DiffView
      key={change.path}
      path={change.path}
      before={change.current_text}
      after={change.proposed_text}
      keyboard={false}
    />
  ))
}

type FoldProps = { summary: ReactNode; open?: boolean; children: ReactNode }

/** A part that folds; what is in it is mounted while it is open. */
export function Fold({ summary, open: start = false, children }: FoldProps) {
  const [open, setOpen] = useState(start)
  return (
    <details
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className="group/fold rounded border border-line"
    >
      <summary className="flex min-h-9 cursor-pointer list-none items-center gap-2 px-3 py-1.5 text-sm pointer-coarse:min-h-11">
        <Icon
          name="chevron-right"
          className="size-4 shrink-0 text-ink-3 transition-transform group-open/fold:rotate-90"
        />
        <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1">{summary}</span>
      </summary>
      {open ? <div className="space-y-6 border-t border-line p-3">{children}</div> : null}
    </details>
  )
}
