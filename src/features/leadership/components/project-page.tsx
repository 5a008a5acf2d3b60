'use client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { ProjectLeadership } from '#contracts/leadership-console.contract.ts'
import { useAction } from '#lib/keyboard.tsx'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useRight } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { Button } from '#ui/button.tsx'
import { Link } from '#ui/link.tsx'
import { ObjectError } from '#ui/object-error.tsx'
import { Page } from '#ui/page.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { Section } from '#ui/section.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { Facts } from './facts.tsx'
import { GrantOverride } from './grant-override.tsx'
import { History } from './history.tsx'
import { LEADERSHIP_TOPICS } from './leadership-page.tsx'
import { LeaseStatus } from './lease-status.tsx'
import { NodesTable } from './nodes-table.tsx'
import { Notices } from './notices.tsx'
import { Promotion } from './promotion.tsx'

/** Leadership of one project, as the store has it now: who may push, what was pushed, every node against it, and who changed it. */
export function ProjectPage({ cid }: { cid: string }) {
  const t = useTranslations('leadership')
  const trpc = useTRPC()
  const asked = trpc.leadership.get.queryOptions({ cid }, { refetchInterval: POLL_MS.slow })
  const leadership = useQuery(asked)
  useLiveQueries(LEADERSHIP_TOPICS, trpc.leadership.pathFilter(), POLL_MS.slow)
  if (leadership.data) return <Body project={leadership.data} />
  return (
    <Page>
      {leadership.error ? (
        <ObjectError
          error={leadership.error}
          onRetry={() => leadership.refetch()}
          id={cid}
          listHref="/leadership"
        />
      ) : (
        <Skeleton lines={10} label={t('title')} />
      )}
    </Page>
  )
}

function Body({ project }: { project: ProjectLeadership }) {
  const t = useTranslations('leadership')
  const [target, setTarget] = useState<string | null>(null)
  const no = useRight('leadership.select')
  const refused = no ?? (project.store_refusal === null ? undefined : t('storeRefusal'))
  const choose = () => setTarget('')
  useAction({
    id: 'leadership.promote',
    label: t('promote'),
    keys: 'p',
    group: t('title'),
    disabledReason: refused,
    run: choose,
  })
  const isUnreadable = project.lease_state === 'unreadable'
  return (
    <Page>
      <PageHeader
        above={<Link href="/leadership">{t('title')}</Link>}
        title={project.name}
        sentence={<Sentence project={project} />}
        action={
          <Button
            kind={isUnreadable ? 'danger' : 'primary'}
            keys="p"
            disabledReason={refused}
            onClick={choose}
          >
            {t(isUnreadable ? 'replaceLease' : 'promote')}
          </Button>
        }
      />
      <Notices project={project} />
      <Section title={t('details')}>
        <Facts project={project} />
      </Section>
      <Section title={t('nodes')} actions={<GrantOverride project={project} />}>
        <NodesTable project={project} disabledReason={refused} onPromote={setTarget} />
      </Section>
      <Section title={t('history')} hint={t('historyHint')}>
        <History cid={project.canonical_id} />
      </Section>
      <Promotion project={project} target={target} onClose={() => setTarget(null)} />
    </Page>
  )
}

function Sentence({ project }: { project: ProjectLeadership }) {
  const t = useTranslations('leadership')
  return (
    <span className="inline-flex flex-wrap items-center gap-x-3">
      <span>
        {t('primary')}:{' '}
        <span className="font-medium text-ink">{project.primary_node_id ?? t('noPrimary')}</span>
      </span>
      <LeaseStatus lease={project} />
    </span>
  )
}
