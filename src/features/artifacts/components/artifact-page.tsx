'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import type { ArtifactDetail } from '#contracts/artifact.contract.ts'
import { AnnotationList, ProposeComment, ProposeTags } from '#features/inbox/index.ts'
import { toFault } from '#lib/fault.ts'
import { useAction } from '#lib/keyboard.tsx'
import { useLiveQueries } from '#lib/live.tsx'
import { POLL_MS } from '#lib/polling.ts'
import { useSession } from '#lib/session.tsx'
import { toast } from '#lib/toasts.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useCopy } from '#lib/use-copy.ts'
import { Button } from '#ui/button.tsx'
import { buttonClass } from '#ui/button-class.ts'
import { EmptyState } from '#ui/empty-state.tsx'
import { Link } from '#ui/link.tsx'
import { ObjectError } from '#ui/object-error.tsx'
import { Page } from '#ui/page.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { Section } from '#ui/section.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import { GROUNDING, isGone, SOURCE_STATE } from '../status.ts'
import { ArtifactFacts } from './artifact-facts.tsx'
import { VIEWERS } from './artifact-viewers.tsx'
import { CompareArtifact } from './compare-artifact.tsx'
import { ExportMenu } from './export-menu.tsx'
import { SourcesProvider, useSources } from './source-context.tsx'
import { SourceList } from './source-list.tsx'

/** One artifact: the document first, then what it is and where it comes from. Tags and comments come and go beside it. */
export function ArtifactPage({ id }: { id: string }) {
  const t = useTranslations('artifacts')
  const trpc = useTRPC()
  const guest = useSession().role === 'guest'
  const artifact = useQuery({
    ...trpc.artifacts.get.queryOptions({ artifact_id: id }),
    refetchInterval: ({ state }) => (state.data?.reading ? POLL_MS.live : false),
  })
  useLiveQueries(
    ['proposal.status.changed'],
    trpc.artifacts.get.queryFilter({ artifact_id: id }),
    POLL_MS.slow,
  )
  if (!artifact.data)
    return (
      <Page>
        {artifact.error && toFault(artifact.error).code === 'ARTIFACT_REMOVED' ? (
          <Removed id={id} />
        ) : artifact.error ? (
          <ObjectError
            error={artifact.error}
            onRetry={() => artifact.refetch()}
            id={id}
            listHref="/artifacts"
          />
        ) : (
          <Skeleton lines={14} label={t('artifact')} />
        )}
      </Page>
    )
  const a = artifact.data
  const Viewer = VIEWERS[a.type]
  return (
    <Page>
      <SourcesProvider artifact={a.artifact_id} sources={a.sources}>
        <PageHeader
          above={<Link href="/artifacts">{t('title')}</Link>}
          title={a.title}
          sentence={<Head artifact={a} />}
          action={
            <>
              {guest ? null : <Proposals artifact={a} />}
              <CompareArtifact artifact={a} />
              <CopyLink />
              <ExportMenu id={a.artifact_id} />
            </>
          }
        />
        <Viewer artifact={a} />
        <SourceList />
      </SourcesProvider>
      <Section title={t('comments')}>
        {a.comments.length > 0 ? (
          <AnnotationList items={a.comments} />
        ) : (
          <p className="text-sm text-ink-3">{t('noComments')}</p>
        )}
      </Section>
      <Section title={t('details')}>
        <ArtifactFacts artifact={a} />
      </Section>
    </Page>
  )
}

/** The document was removed by the retention of artifacts; its address stays known. */
function Removed({ id }: { id: string }) {
  const t = useTranslations('artifacts')
  const all = (
    <Link href="/artifacts" className={buttonClass('secondary')}>
      {t('showAll')}
    </Link>
  )
  return (
    <EmptyState as="h1" title={t('removed')} action={all}>
      <p className="mb-2">{t('removedHint')}</p>
      <code className="break-all font-mono text-sm">{id}</code>
    </EmptyState>
  )
}

function Head({ artifact: a }: { artifact: ArtifactDetail }) {
  const t = useTranslations('artifacts')
  const changed = useSources().all.filter(({ now }) => isGone(now)).length
  return (
    <span className="flex flex-wrap items-center gap-x-4 gap-y-1">
      <span>{t(`types.${a.type}`)}</span>
      <StatusBadge {...GROUNDING[a.grounding.status]}>
        {t('groundedOf', { n: a.grounding.grounded_claims, total: a.grounding.claims })}
      </StatusBadge>
      {changed > 0 ? (
        <StatusBadge {...SOURCE_STATE.changed}>{t('sourcesChanged', { n: changed })}</StatusBadge>
      ) : null}
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

function CopyLink() {
  const t = useTranslations('artifacts')
  const toClipboard = useCopy()
  const run = () => toClipboard(window.location.href, () => toast({ tone: 'done', text: t('copied') }))
  useAction({ id: 'artifacts.copy', label: t('copyLink'), keys: 'y', group: t('title'), run })
  return (
    <Button keys="y" onClick={run}>
      {t('copyLink')}
    </Button>
  )
}
