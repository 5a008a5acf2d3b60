'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import type { ArtifactDetail, ArtifactRow } from '#contracts/artifact.contract.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { ChooseOther, OtherLinks } from '#ui/choose-other.tsx'
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
  const agent = artifact.agent_slug
  if (!agent) return null
  return (
    <ChooseOther
      act={{ id: 'artifacts.compare', label: t('compare.act'), keys: 'd', group: t('title') }}
      title={t('compare.with')}
      description={t('compare.withHint')}
    >
      <Others artifact={artifact} agent={agent} />
    </ChooseOther>
  )
}

function Others({ artifact, agent }: { artifact: ArtifactDetail; agent: string }) {
  const t = useTranslations('artifacts')
  const trpc = useTRPC()
  const list = useQuery(trpc.artifacts.list.queryOptions({ agent, type: artifact.type, limit: LATEST }))
  const others = list.data?.items.filter(
    (other) => other.artifact_id !== artifact.artifact_id && other.removed_at === null,
  )
  return (
    <OtherLinks
      others={others?.map((other) => ({
        id: other.artifact_id,
        href: compareHref(artifact, other),
        name: other.title,
        facts: <RelativeTime at={other.created_at} className="text-sm text-ink-3" />,
      }))}
      error={list.error}
      onRetry={() => list.refetch()}
      none={t('compare.noOther')}
    />
  )
}
