'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import type { AuditEventView } from '#contracts/audit.contract.ts'
import { useAction } from '#lib/keyboard.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { ErrorState } from '#ui/error-state.tsx'
import { FieldList, type FieldRow } from '#ui/field-list.tsx'
import { Digest, Id } from '#ui/id.tsx'
import { JsonView } from '#ui/json-view.tsx'
import { Link } from '#ui/link.tsx'
import { Section } from '#ui/section.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import { ExactTime } from '#ui/time.tsx'
import { addressOf, OUTCOME } from '../status.ts'
import { useTransitionLabel } from '../use-state-label.ts'
import { useWords } from '../use-words.ts'

/** One event in full, beside the list. */
export function EventDetail({ id, close }: { id: string; close: () => void }) {
  const t = useTranslations('audit')
  const trpc = useTRPC()
  const event = useQuery(trpc.audit.get.queryOptions({ event_id: id }))
  useAction({ id: 'audit.close', label: t('title'), keys: 'Escape', run: close, palette: false })
  if (event.error) return <ErrorState error={event.error} onRetry={() => event.refetch()} />
  if (!event.data) return <Skeleton lines={8} label={t('detail')} />
  const e = event.data
  return (
    <article>
      <h2 className="mb-3 flex flex-wrap items-center gap-3 text-lg font-semibold">
        <span className="font-mono text-md">{e.event}</span>
        <StatusBadge {...OUTCOME[e.outcome]} variant="soft">
          {t(`outcomes.${e.outcome}`)}
        </StatusBadge>
      </h2>
      <Facts event={e} />
      {Object.keys(e.details).length > 0 ? (
        <Section title={t('details')}>
          <JsonView value={e.details} />
        </Section>
      ) : null}
    </article>
  )
}

function Facts({ event: e }: { event: AuditEventView }) {
  const t = useTranslations('audit')
  const transition = useTransitionLabel()
  const words = useWords()
  const href = addressOf(e.resource)
  const object = `${words.type(e.resource.type)} ${e.resource.id}`
  const rows: (FieldRow | null)[] = [
    { label: t('time'), value: <ExactTime at={e.ts} /> },
    { label: t('actor'), value: `${e.actor} (${words.role(e.actor_role)})` },
    { label: t('via'), value: words.channel(e.via) },
    {
      label: t('object'),
      value: href ? <Link href={href}>{object}</Link> : object,
    },
    e.to
      ? { label: t('change'), value: transition({ from: e.from, to: e.to, type: e.resource.type }) }
      : null,
    e.reason ? { label: t('reason'), value: e.reason } : null,
    e.error_code
      ? { label: t('code'), value: <code className="font-mono text-sm">{e.error_code}</code> }
      : null,
    ...Object.entries(e.refs).map(
      ([k, v]): FieldRow => ({
        label: words.type(k.replace(/_id$/, '')),
        id: k,
        value: <Id value={String(v)} />,
      }),
    ),
    e.correlation_id ? { label: t('correlation'), value: <Id value={e.correlation_id} /> } : null,
    {
      label: t('sequence'),
      value: e.seq === null ? t('unsealed') : <span className="tabular">{e.seq}</span>,
    },
    e.hash ? { label: t('hash'), value: <Digest value={e.hash} /> } : null,
    { label: t('node'), value: e.node },
  ]
  return <FieldList rows={rows.filter((row): row is FieldRow => row !== null)} />
}
