'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import type { InboxEntryView } from '#contracts/inbox.contract.ts'
import { ObjectHistory } from '#features/audit/index.ts'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useCodeText } from '#lib/use-fault-text.ts'
import { CodedError } from '#ui/coded-error.tsx'
import { FieldList, type FieldRow } from '#ui/field-list.tsx'
import { Id } from '#ui/id.tsx'
import { Link } from '#ui/link.tsx'
import { ObjectError } from '#ui/object-error.tsx'
import { Page } from '#ui/page.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { Section } from '#ui/section.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import { ExactTime } from '#ui/time.tsx'
import { resolutionHref } from '../input.ts'
import { STATUS_STYLES } from '../status.ts'
import { useActionLabel } from '../use-action-label.ts'
import { useEntryTitle } from '../use-entry-title.ts'

/** One entry: the action, its source and its result. */
export function EntryPage({ id }: { id: string }) {
  const t = useTranslations('inbox')
  const codeText = useCodeText()
  const titleOf = useEntryTitle()
  const trpc = useTRPC()
  const entry = useQuery(trpc.inbox.get.queryOptions({ inbox_id: id }))
  useLiveQueries(['inbox.status.changed'], trpc.inbox.get.queryFilter({ inbox_id: id }), POLL_MS.slow)
  if (!entry.data)
    return (
      <Page>
        {entry.error ? (
          <ObjectError error={entry.error} onRetry={() => entry.refetch()} id={id} listHref="/inbox" />
        ) : (
          <Skeleton lines={8} label={t('entry')} />
        )}
      </Page>
    )
  const e = entry.data
  return (
    <Page>
      <PageHeader
        above={<Link href="/inbox">{t('title')}</Link>}
        title={titleOf(e)}
        sentence={
          <StatusBadge {...STATUS_STYLES[e.status]} variant="soft">
            {t(`state.${e.status}`)}
          </StatusBadge>
        }
      />
      {e.reason ? (
        <div className="mb-4 rounded bg-failed-soft px-3 py-2 text-failed">
          <CodedError sentence={codeText(e.reason.code)} {...e.reason} />
        </div>
      ) : null}
      <Section title={t('details')}>
        <Facts entry={e} />
      </Section>
      <Section title={t('history')}>
        <ObjectHistory key={e.status} type="inbox" id={e.inbox_id} />
      </Section>
    </Page>
  )
}

function Facts({ entry: e }: { entry: InboxEntryView }) {
  const t = useTranslations('inbox')
  const actionLabel = useActionLabel()
  const rows: (FieldRow | null)[] = [
    { label: t('entry'), value: <Id value={e.inbox_id} full /> },
    { label: t('action'), value: actionLabel(e.intent.action) },
    { label: t('target'), value: <code className="break-all font-mono text-sm">{e.intent.target}</code> },
    { label: t('source'), value: `${e.source.identity} (${e.source.type})` },
    e.resolution
      ? {
          label: t('outcome'),
          value: (
            <Link
              href={resolutionHref(e.resolution)}
            >{`${t(`kinds.${e.resolution.kind}`)} ${e.resolution.id}`}</Link>
          ),
        }
      : null,
    e.run_id
      ? {
          label: t('run'),
          value: (
            <Link href={`/runs/${e.run_id}`} className="font-mono text-sm">
              {e.run_id}
            </Link>
          ),
        }
      : null,
    { label: t('received'), value: <ExactTime at={e.received_at} /> },
    { label: t('expires'), value: <ExactTime at={e.expires_at} /> },
    { label: t('priority'), value: t(e.priority) },
    { label: t('correlation'), value: <Id value={e.correlation_id} /> },
  ]
  return <FieldList rows={rows.filter((row): row is FieldRow => row !== null)} />
}
