'use client'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useLocale, useTranslations } from 'use-intl/react'
import type { ProjectLeadership } from '#contracts/leadership-console.contract.ts'
import { formatDuration } from '#lib/duration.ts'
import { toFault } from '#lib/fault.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { faultDetail, useFaultText } from '#lib/use-fault-text.ts'
import { FieldList, type FieldRow } from '#ui/field-list.tsx'
import { Id } from '#ui/id.tsx'
import { Size } from '#ui/size.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import { LOCK_STYLES } from '../status.ts'
import { PushedBy, PushedDigest, PushedRecords } from './last-push.tsx'
import { LeaseStatus } from './lease-status.tsx'

/** Lease, lock and last push of a project, and what it keeps. */
export function Facts({ project }: { project: ProjectLeadership }) {
  const t = useTranslations('leadership')
  const number = (value: number): ReactNode => <span className="tabular">{value}</span>
  const rows: (FieldRow | null)[] = [
    { label: t('project'), value: <Id value={project.canonical_id} full /> },
    { label: t('primary'), value: <Primary project={project} /> },
    { label: t('lease'), value: <LeaseStatus lease={project} /> },
    project.epoch === null ? null : { label: t('epoch'), value: number(project.epoch) },
    project.term === null ? null : { label: t('term'), value: number(project.term) },
    project.issued_by === null ? null : { label: t('issuedBy'), value: project.issued_by },
    { label: t('lock'), value: <Lock lock={project.lock} /> },
    { label: t('lastPush'), value: <LastPush pointer={project.pointer} /> },
    { label: t('kept'), value: <Kept cid={project.canonical_id} /> },
  ]
  return <FieldList rows={rows.filter((row): row is FieldRow => row !== null)} />
}

function Primary({ project }: { project: ProjectLeadership }) {
  const t = useTranslations('leadership')
  if (project.primary_node_id === null) return <span className="text-ink-3">{t('noPrimary')}</span>
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2">
      <span className="font-medium">{project.primary_node_id}</span>
      <StatusBadge tone={project.primary_online ? 'done' : 'held'}>
        {t(project.primary_online ? 'online' : 'offline')}
      </StatusBadge>
    </span>
  )
}

function Lock({ lock }: { lock: ProjectLeadership['lock'] }) {
  const t = useTranslations('leadership')
  const locale = useLocale() as 'en' | 'uk'
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2">
      <StatusBadge {...LOCK_STYLES[lock.state]}>{t(`lockState.${lock.state}`)}</StatusBadge>
      {lock.age_seconds === null ? null : (
        <span className="text-sm text-ink-3">
          {lock.node_id === null ? t('lockUnnamed') : t('lockBy', { node: lock.node_id })},{' '}
          <span className="tabular">
            {t('ago', { time: formatDuration(lock.age_seconds * 1_000, locale) })}
          </span>
        </span>
      )}
    </span>
  )
}

function LastPush({ pointer }: { pointer: ProjectLeadership['pointer'] }) {
  return (
    <span className="inline-flex flex-wrap items-center gap-x-3">
      <PushedRecords pointer={pointer} />
      <PushedBy pointer={pointer} />
      <PushedDigest pointer={pointer} />
    </span>
  )
}

/** How many bytes of snapshots the project keeps: asked for apart, since every snapshot has to be looked at. */
function Kept({ cid }: { cid: string }) {
  const t = useTranslations('leadership')
  const text = useFaultText()
  const trpc = useTRPC()
  const kept = useQuery(trpc.leadership.kept.queryOptions({ cid }, { staleTime: 60_000 }))
  if (kept.data)
    return (
      <>
        {kept.data.complete ? null : `${t('keptAtLeast')} `}
        <Size bytes={kept.data.bytes} /> <span>{t('keptText', { count: kept.data.snapshots })}</span>
      </>
    )
  if (!kept.error) return <span className="text-ink-3">…</span>
  const fault = toFault(kept.error)
  return <span className="text-failed">{faultDetail(fault) || text(fault)}</span>
}
