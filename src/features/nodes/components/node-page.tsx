'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import type { NodeDetail } from '#contracts/node.contract.ts'
import { may } from '#domain/authority/matrix.ts'
import { NodeKeys } from '#features/keys/index.ts'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useSession } from '#lib/session.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { FieldList, type FieldRow } from '#ui/field-list.tsx'
import { Link } from '#ui/link.tsx'
import { ObjectError } from '#ui/object-error.tsx'
import { Page } from '#ui/page.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { Section } from '#ui/section.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { ExactTime, RelativeTime } from '#ui/time.tsx'
import { AddNode } from './add-node.tsx'
import { NodeStatus } from './node-facts.tsx'
import { NodeMenu } from './node-menu.tsx'
import { ProjectTable, SyncTable } from './node-tables.tsx'

/** One node: whether it is there, its projects, its keys, and the syncs that it was asked for. */
export function NodePage({ id }: { id: string }) {
  const t = useTranslations('nodes')
  const trpc = useTRPC()
  const node = useQuery(
    trpc.nodes.get.queryOptions(
      { node_id: id },
      { refetchInterval: ({ state }) => (isSyncing(state.data) ? POLL_MS.live : POLL_MS.liveness) },
    ),
  )
  useLiveQueries(
    ['key.changed', 'worker.status.changed', 'leadership.changed'],
    trpc.nodes.get.queryFilter({ node_id: id }),
    POLL_MS.liveness,
  )
  if (node.data) return <NodeBody node={node.data} />
  return (
    <Page>
      {node.error ? (
        <ObjectError error={node.error} onRetry={() => node.refetch()} id={id} listHref="/nodes" />
      ) : (
        <Skeleton lines={8} label={t('node')} />
      )}
    </Page>
  )
}

/** Its end comes over the stream; it's read by the second as well, since somebody waits for it. */
const isSyncing = (node: NodeDetail | undefined): boolean =>
  node?.syncs.some(({ status }) => status === 'pending') ?? false

function NodeBody({ node }: { node: NodeDetail }) {
  const t = useTranslations('nodes')
  const { role } = useSession()
  const manages = may(role, 'node.manage')
  return (
    <Page>
      <PageHeader
        above={<Link href="/nodes">{t('title')}</Link>}
        title={node.node_id}
        sentence={<NodeStatus state={node.state} variant="soft" />}
        action={
          <>
            {manages ? <AddNode node={node.node_id} offered={node.keys.length === 0} /> : null}
            <NodeMenu node={node} palette />
          </>
        }
      />
      {node.admin_key ? <p className="mb-5 max-w-prose text-sm text-waiting">{t('adminKeyHint')}</p> : null}
      <Section title={t('details')}>
        <Facts node={node} />
      </Section>
      <Section title={t('projects')}>
        <ProjectTable node={node} />
      </Section>
      <Section title={t('keys')} hint={t('keysHint')}>
        <NodeKeys node={node.node_id} empty={<p className="text-ink-3">{t('noKey')}</p>} />
      </Section>
      <Section title={t('syncs')}>
        <SyncTable syncs={node.syncs} />
      </Section>
    </Page>
  )
}

function Facts({ node }: { node: NodeDetail }) {
  const t = useTranslations('nodes')
  const time = (at: string | null) =>
    at ? (
      <>
        <ExactTime at={at} /> (<RelativeTime at={at} className="text-ink-3" />)
      </>
    ) : (
      t('never')
    )
  const rows: FieldRow[] = [
    { label: t('lastSeen'), value: time(node.last_seen) },
    ...(node.first_seen ? [{ label: t('firstSeen'), value: time(node.first_seen) }] : []),
    { label: t('version'), value: node.agent_version ?? t('unknown') },
    {
      label: t('addresses'),
      value:
        node.ip_addrs.length > 0 ? (
          <span className="font-mono text-sm">{node.ip_addrs.join(', ')}</span>
        ) : (
          t('unknown')
        ),
    },
    { label: t('agent'), value: <AgentAddress agent={node.agent} /> },
  ]
  return <FieldList rows={rows} />
}

function AgentAddress({ agent }: { agent: NodeDetail['agent'] }) {
  const t = useTranslations('nodes')
  if (!agent) return t('notRegistered')
  return agent.url ? <span className="break-all font-mono text-sm">{agent.url}</span> : t('noAddress')
}
