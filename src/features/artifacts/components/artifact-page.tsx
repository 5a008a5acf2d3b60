'use client'
import { useQuery } from '@tanstack/react-query'
import { useFormatter, useTranslations } from 'use-intl/react'
import type { ArtifactDetail } from '#contracts/artifact.contract.ts'
import { AnnotationList, ProposeComment, ProposeTags } from '#features/inbox/index.ts'
import { toFault } from '#lib/fault.ts'
import { useAction } from '#lib/keyboard.tsx'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useSession } from '#lib/session.tsx'
import { toast } from '#lib/toasts.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { Button } from '#ui/button.tsx'
import { buttonClass } from '#ui/button-class.ts'
import { EmptyState } from '#ui/empty-state.tsx'
import { ErrorState } from '#ui/error-state.tsx'
import { FieldList, type FieldRow } from '#ui/field-list.tsx'
import { Digest, Id } from '#ui/id.tsx'
import { Link } from '#ui/link.tsx'
import { Page } from '#ui/page.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { Section } from '#ui/section.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import { ExactTime, RelativeTime } from '#ui/time.tsx'
import { GROUNDING } from '../status.ts'
import { VIEWERS } from './artifact-viewers.tsx'

/** One artifact: the document first, then what it is and where it comes from. Tags and comments come and go beside it. */
export function ArtifactPage({ id }: { id: string }) {
  const t = useTranslations('artifacts')
  const trpc = useTRPC()
  const guest = useSession().role === 'guest'
  const artifact = useQuery(trpc.artifacts.get.queryOptions({ artifact_id: id }))
  useLiveQueries(
    ['proposal.status.changed'],
    trpc.artifacts.get.queryFilter({ artifact_id: id }),
    POLL_MS.slow,
  )
  if (!artifact.data)
    return (
      <Page>
        {artifact.error && MISSING.has(toFault(artifact.error).code) ? (
          <MissingArtifact id={id} />
        ) : artifact.error ? (
          <ErrorState error={artifact.error} onRetry={() => artifact.refetch()} />
        ) : (
          <Skeleton lines={14} label={t('artifact')} />
        )}
      </Page>
    )
  const a = artifact.data
  const Viewer = VIEWERS[a.type]
  return (
    <Page>
      <PageHeader
        above={<Link href="/artifacts">{t('title')}</Link>}
        title={a.title}
        sentence={<Head artifact={a} />}
        action={
          <>
            {guest ? null : <Proposals artifact={a} />}
            <CopyLink />
          </>
        }
      />
      <Viewer artifact={a} />
      <Section title={t('comments')}>
        {a.comments.length > 0 ? (
          <AnnotationList items={a.comments} />
        ) : (
          <p className="text-sm text-ink-3">{t('noComments')}</p>
        )}
      </Section>
      <Section title={t('details')}>
        <Facts artifact={a} />
      </Section>
    </Page>
  )
}

/** An id that is none, and one that is nobody's, look alike. */
const MISSING: ReadonlySet<string> = new Set(['NOT_FOUND', 'VALIDATION_FAILED', 'BAD_REQUEST'])

function MissingArtifact({ id }: { id: string }) {
  const t = useTranslations('artifacts')
  const all = (
    <Link href="/artifacts" className={buttonClass('secondary')}>
      {t('showAll')}
    </Link>
  )
  return (
    <EmptyState title={t('missing')} action={all}>
      <code className="break-all font-mono text-sm">{id}</code>
    </EmptyState>
  )
}

function Head({ artifact: a }: { artifact: ArtifactDetail }) {
  const t = useTranslations('artifacts')
  return (
    <span className="flex flex-wrap items-center gap-x-4 gap-y-1">
      <span>{t(`types.${a.type}`)}</span>
      <StatusBadge {...GROUNDING[a.grounding.status]}>
        {t('groundedOf', { n: a.grounding.grounded_claims, total: a.grounding.claims })}
      </StatusBadge>
      <span className="text-ink-3">
        {a.engine.id === 'extractive' ? t('extractive') : (a.engine.model ?? a.engine.id)}
      </span>
    </span>
  )
}

function Proposals({ artifact: a }: { artifact: ArtifactDetail }) {
  const annotated = { address: `artifacts/${a.artifact_id}`, title: a.title }
  const added = a.added_tags.map(({ tag }) => tag)
  return (
    <>
      <ProposeTags {...annotated} tags={[...a.tags, ...added]} removable={added} />
      <ProposeComment {...annotated} />
    </>
  )
}

/** In the unit that reads best; the exact number on hover. */
function Size({ bytes }: { bytes: number }) {
  const t = useTranslations('artifacts')
  const format = useFormatter()
  const exact = t('bytes', { n: bytes })
  if (bytes < 1_000) return <span className="tabular">{exact}</span>
  const unit = bytes < 1_000_000 ? 'kilobyte' : 'megabyte'
  const n = bytes / (unit === 'kilobyte' ? 1_000 : 1_000_000)
  return (
    <span className="tabular" data-tip={exact}>
      {format.number(n, { style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: 1 })}
    </span>
  )
}

const TagLink = ({ tag }: { tag: string }) => (
  <Link href={`/artifacts?tag=${encodeURIComponent(tag)}`} className="break-all">
    {tag}
  </Link>
)

const Tags = ({ tags }: { tags: readonly string[] }) => (
  <span className="flex flex-wrap gap-x-3">
    {tags.map((tag) => (
      <TagLink key={tag} tag={tag} />
    ))}
  </span>
)

/** Tags that proposals added, each with who and when. */
function AddedTags({ tags }: { tags: ArtifactDetail['added_tags'] }) {
  const t = useTranslations('artifacts')
  return (
    <ul className="space-y-1">
      {tags.map(({ tag, by, at, proposal_id }) => (
        <li key={tag} className="flex flex-wrap items-baseline gap-x-3">
          <TagLink tag={tag} />
          <span className="text-sm text-ink-3">{by}</span>
          {at ? <RelativeTime at={at} className="text-sm text-ink-3" /> : null}
          {proposal_id ? (
            <Link href={`/proposals/${proposal_id}`} className="text-sm">
              {t('proposal')}
            </Link>
          ) : null}
        </li>
      ))}
    </ul>
  )
}

function CopyLink() {
  const t = useTranslations('artifacts')
  const run = () =>
    void navigator.clipboard
      ?.writeText(window.location.href)
      .then(() => toast({ tone: 'done', text: t('copied') }))
  useAction({ id: 'artifacts.copy', label: t('copyLink'), keys: 'y', group: t('title'), run })
  return (
    <Button keys="y" onClick={run}>
      {t('copyLink')}
    </Button>
  )
}

function Facts({ artifact: a }: { artifact: ArtifactDetail }) {
  const t = useTranslations('artifacts')
  const rows: (FieldRow | null)[] = [
    { label: t('artifact'), value: <Id value={a.artifact_id} full /> },
    { label: t('finalized'), value: <ExactTime at={a.finalized_at} /> },
    { label: t('version'), value: a.version },
    { label: t('engine'), value: `${a.engine.id} ${a.engine.version}` },
    { label: t('digest'), value: <Digest value={a.content_sha256} /> },
    { label: t('size'), value: <Size bytes={a.bytes} /> },
    a.agent_slug
      ? { label: t('agent'), value: <Link href={`/agents/${a.agent_slug}`}>{a.agent_slug}</Link> }
      : null,
    a.run_id
      ? {
          label: t('runOf'),
          value: (
            <Link href={`/runs/${a.run_id}`} className="font-mono text-sm">
              {a.run_id}
            </Link>
          ),
        }
      : null,
    a.job_id
      ? {
          label: t('job'),
          value: (
            <Link href={`/jobs/${a.job_id}`} className="font-mono text-sm">
              {a.job_id}
            </Link>
          ),
        }
      : null,
    a.tags.length > 0 ? { label: t('tags'), value: <Tags tags={a.tags} /> } : null,
    a.added_tags.length > 0 ? { label: t('addedTags'), value: <AddedTags tags={a.added_tags} /> } : null,
  ]
  return <FieldList rows={rows.filter((row): row is FieldRow => row !== null)} />
}
