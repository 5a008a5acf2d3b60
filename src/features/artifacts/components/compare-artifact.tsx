'use client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { ArtifactDetail, ArtifactRow } from '#contracts/artifact.contract.ts'
import { useAction } from '#lib/keyboard.tsx'
import { useTRPC } from '#lib/trpc.tsx'
import { Button } from '#ui/button.tsx'
import { Dialog } from '#ui/dialog.tsx'
import { ErrorState } from '#ui/error-state.tsx'
import { Link } from '#ui/link.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { RelativeTime } from '#ui/time.tsx'

type Compared = Pick<ArtifactRow, 'artifact_id' | 'created_at'>

/** The address of a comparison: the older artifact left, the newer right. */
function compareHref(one: Compared, other: Compared): string {
  const [a, b] = one.created_at <= other.created_at ? [one, other] : [other, one]
  return `/artifacts/compare?a=${a.artifact_id}&b=${b.artifact_id}`
}

const LATEST = 20

/** Chooses the artifact that this one is compared with, from the latest of its agent and type; none for a guest, who does not see whose it is. */
export function CompareArtifact({ artifact }: { artifact: ArtifactDetail }) {
  const t = useTranslations('artifacts')
  const [open, setOpen] = useState(false)
  const agent = artifact.agent_slug
  useAction(
    agent
      ? {
          id: 'artifacts.compare',
          label: t('compare.act'),
          keys: 'd',
          group: t('title'),
          run: () => setOpen(true),
        }
      : null,
  )
  if (!agent) return null
  return (
    <>
      <Button keys="d" onClick={() => setOpen(true)}>
        {t('compare.act')}
      </Button>
      <Dialog
        open={open}
        onClose={() => setOpen(false)}
        title={t('compare.with')}
        description={t('compare.withHint')}
      >
        <Others artifact={artifact} agent={agent} />
      </Dialog>
    </>
  )
}

function Others({ artifact, agent }: { artifact: ArtifactDetail; agent: string }) {
  const t = useTranslations('artifacts')
  const trpc = useTRPC()
  const list = useQuery(trpc.artifacts.list.queryOptions({ agent, type: artifact.type, limit: LATEST }))
  if (!list.data)
    return list.error ? (
      <ErrorState error={list.error} onRetry={() => list.refetch()} />
    ) : (
      <Skeleton lines={6} label={t('title')} />
    )
  const others = list.data.items.filter(
    (other) => other.artifact_id !== artifact.artifact_id && other.removed_at === null,
  )
  if (others.length === 0) return <p className="text-ink-2">{t('compare.noOther')}</p>
  return (
    <ul className="-mx-2">
      {others.map((other, i) => (
        <li
          key={other.artifact_id}
          className="flex flex-wrap items-center gap-x-3 gap-y-0.5 rounded px-2 py-1.5 hover:bg-hover"
        >
          <Link
            href={compareHref(artifact, other)}
            className="min-w-0 flex-1 basis-48 truncate"
            data-autofocus={i === 0 || undefined}
          >
            {other.title}
          </Link>
          <RelativeTime at={other.created_at} className="text-sm text-ink-3" />
        </li>
      ))}
    </ul>
  )
}
