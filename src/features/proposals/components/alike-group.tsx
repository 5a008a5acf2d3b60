'use client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { AlikeGroupView, CombinedDiff } from '#contracts/proposal-batch.contract.ts'
import { BATCH_LIMIT, type Decision } from '#domain/proposal/batch.rules.ts'
import { useAction } from '#lib/keyboard.tsx'
import { useRight } from '#lib/session.tsx'
import { showUrl } from '#lib/shown-path.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { Button } from '#ui/button.tsx'
import { buttonClass } from '#ui/button-class.ts'
import { EmptyState } from '#ui/empty-state.tsx'
import { ErrorState } from '#ui/error-state.tsx'
import { Link } from '#ui/link.tsx'
import { Section } from '#ui/section.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { useAlike } from '../hooks/use-alike.ts'
import type { Batch } from '../hooks/use-batch.tsx'
import { useGroupName } from './alike-groups.tsx'
import { CombinedFiles } from './combined-files.tsx'
import { Outliers } from './outliers.tsx'

type Props = {
  groupKey: string
  batch: Batch
  /** Where the list stands without the group. */
  listHref: string
}

/** One group of alike proposals beside the list. It stays as it was when it was opened; what joins it later is not decided with it. */
export function AlikeGroup({ groupKey, batch, listHref }: Props) {
  const t = useTranslations('proposals')
  const alike = useAlike()
  const [group, setGroup] = useState<AlikeGroupView>()
  const found = alike.data?.groups.find(({ key }) => key === groupKey)
  if (!group && found) setGroup(found)
  if (group) return <Group group={group} batch={batch} listHref={listHref} />
  if (alike.error) return <ErrorState error={alike.error} onRetry={() => alike.refetch()} />
  if (!alike.data) return <Skeleton lines={14} label={t('alike')} />
  const back = (
    <Link href={listHref} className={buttonClass('secondary')}>
      {t('backToList')}
    </Link>
  )
  return (
    <EmptyState title={t('groupGone')} action={back}>
      {t('groupGoneHint')}
    </EmptyState>
  )
}

function Group({ group, batch, listHref }: Omit<Props, 'groupKey'> & { group: AlikeGroupView }) {
  const t = useTranslations('proposals')
  const trpc = useTRPC()
  const name = useGroupName()
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const ids = group.members.map(({ proposal_id }) => proposal_id)
  const outliers = group.members.filter(({ outlier }) => outlier.length > 0)
  const combined = useQuery(
    trpc.proposals.combined.queryOptions({ proposal_ids: ids }, { trpc: { context: { longInput: true } } }),
  )
  return (
    <article>
      <header className="pb-4">
        <h2 className="text-lg font-semibold tracking-tight">{name(group)}</h2>
        {group.count > ids.length ? (
          <p className="mt-1 text-sm text-ink-3">
            {t('groupFirst', { most: BATCH_LIMIT, count: group.count })}
          </p>
        ) : null}
        <GroupCommands
          combined={combined.data}
          closed={outliers.filter(({ proposal_id }) => !opened.has(proposal_id)).length}
          ids={ids}
          batch={batch}
          leave={() => showUrl(listHref)}
        />
      </header>
      {outliers.length > 0 ? (
        <Outliers
          members={outliers}
          opened={opened}
          open={(id) => setOpened((were) => new Set([...were, id]))}
        />
      ) : null}
      <Combined query={combined} />
      <Section title={t('members')}>
        <ul className="space-y-1 text-sm">
          {group.members.map(({ proposal_id, summary, path }) => (
            <li key={proposal_id} className="flex flex-wrap gap-x-3">
              <Link href={`/proposals/${proposal_id}`}>{summary}</Link>
              <span className="break-all font-mono text-ink-3">{path}</span>
            </li>
          ))}
        </ul>
      </Section>
    </article>
  )
}

function Combined({
  query,
}: {
  query: { data?: CombinedDiff | undefined; error: unknown; refetch: () => void }
}) {
  const t = useTranslations('proposals')
  const { data } = query
  return (
    <Section
      title={t('combined')}
      {...(data ? { hint: t('combinedHint', { files: data.files.length }) } : {})}
    >
      {data ? <CombinedFiles files={data.files} /> : null}
      {query.error ? <ErrorState error={query.error} onRetry={query.refetch} /> : null}
      {!data && !query.error ? <Skeleton lines={8} label={t('combined')} /> : null}
      {data && data.left_out.length > 0 ? (
        <p className="mt-3 text-waiting">{t('leftOut', { count: data.left_out.length })}</p>
      ) : null}
    </Section>
  )
}

type CommandsProps = {
  combined: CombinedDiff | undefined
  /** Outliers that were not opened yet. */
  closed: number
  ids: readonly string[]
  batch: Batch
  leave: () => void
}

/** Approving decides what the combined diff shows, by its digests, once every outlier was opened. Rejecting needs no look at all of it. */
function GroupCommands({ combined, closed, ids, batch, leave }: CommandsProps) {
  const t = useTranslations('proposals')
  const no = useRight('proposal.decide')
  const digests = combined?.review_digests ?? {}
  const shown = ids.filter((id) => digests[id])
  const decided = (left: readonly string[]) => {
    if (left.length === 0) leave()
  }
  const locked = closed > 0 ? t('openOutliers', { count: closed }) : undefined
  const disabledReason = no ?? locked ?? (shown.length === 0 ? t('batch.APPROVED.none') : undefined)
  const request = (status: Decision) =>
    batch.request(status === 'APPROVED' ? { status, ids: shown, digests, decided } : { status, ids, decided })
  const act = { group: t('title') }
  const approve = {
    label: t('approveGroup', { count: shown.length || ids.length }),
    run: () => request('APPROVED'),
  }
  const reject = { label: t('rejectGroup', { count: ids.length }), run: () => request('REJECTED') }
  useAction({ ...act, ...approve, id: 'proposals.group.approve', keys: 'a', disabledReason })
  useAction({ ...act, ...reject, id: 'proposals.group.reject', keys: 'r', disabledReason: no })
  return (
    <div className="mt-4 flex flex-wrap items-center gap-2">
      <Button kind="primary" keys="a" busy={batch.busy} disabledReason={disabledReason} onClick={approve.run}>
        {approve.label}
      </Button>
      <Button keys="r" disabledReason={no} onClick={reject.run}>
        {reject.label}
      </Button>
    </div>
  )
}
