'use client'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslations } from 'use-intl/react'
import type { ArtifactDetail } from '#contracts/artifact.contract.ts'
import { useTRPC } from '#lib/trpc.tsx'
import { useFilters } from '#lib/url-state.ts'
import { ChooseTwo, ComparePage } from '#ui/compare-page.tsx'
import { type CompareRow, CompareTable, firstDifference } from '#ui/compare-table.tsx'
import { Digest } from '#ui/id.tsx'
import { DiffView } from '#ui/lazy.tsx'
import { Link } from '#ui/link.tsx'
import { ObjectError } from '#ui/object-error.tsx'
import { Page } from '#ui/page.tsx'
import { Section } from '#ui/section.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { StatusBadge } from '#ui/status-badge.tsx'
import { ExactTime } from '#ui/time.tsx'
import { artifactText, firstDifferentLine } from '../artifact-text.ts'
import { comparedArtifacts } from '../input.ts'
import { GROUNDING } from '../status.ts'

/** Two artifacts side by side; which two stands in the address. */
export function CompareArtifactsPage() {
  const t = useTranslations('artifacts')
  const trpc = useTRPC()
  const sides = useFilters(['a', 'b'])
  const input = comparedArtifacts(sides.values)
  const optionsOf = (artifact_id: string | undefined) => ({
    ...trpc.artifacts.get.queryOptions({ artifact_id: artifact_id ?? '' }),
    enabled: artifact_id !== undefined,
  })
  const [a, b] = [useQuery(optionsOf(input?.a)), useQuery(optionsOf(input?.b))]
  if (!input)
    return (
      <ChooseTwo
        title={t('compare.choose')}
        hint={t('compare.chooseHint')}
        list={{ href: '/artifacts', label: t('showAll') }}
      />
    )
  const failed = a.error ? { ...a, id: input.a } : b.error ? { ...b, id: input.b } : null
  if (a.data && b.data)
    return <Compared a={a.data} b={b.data} swap={() => sides.set({ a: input.b, b: input.a })} />
  return (
    <Page wide>
      {failed ? (
        <ObjectError error={failed.error} onRetry={failed.refetch} id={failed.id} listHref="/artifacts" />
      ) : (
        <Skeleton lines={14} label={t('compare.title')} />
      )}
    </Page>
  )
}

type Props = { a: ArtifactDetail; b: ArtifactDetail; swap: () => void }

function Compared({ a, b, swap }: Props) {
  const t = useTranslations('artifacts')
  const [before, after] = [artifactText(a), artifactText(b)]
  const line = firstDifferentLine(before, after)
  return (
    <ComparePage
      above={<Link href="/artifacts">{t('title')}</Link>}
      title={t('compare.title')}
      sentence={
        <span className={line === null ? 'text-done' : 'text-waiting'}>
          {line === null ? t('compare.alike') : t('compare.first', { n: line })}
        </span>
      }
      hasDifference={line !== null}
      swap={swap}
    >
      <Section title={t('compare.overview')}>
        <Overview a={a} b={b} />
      </Section>
      <Section title={t('compare.text')} {...(a.type === b.type ? {} : { hint: t('compare.otherTypes') })}>
        <div {...firstDifference(line !== null)}>
          <DiffView path={b.title} before={before} after={after} keyboard={false} startAt={1} />
        </div>
      </Section>
    </ComparePage>
  )
}

function Overview({ a, b }: { a: ArtifactDetail; b: ArtifactDetail }) {
  const t = useTranslations('artifacts')
  const row = (
    id: string,
    label: string,
    show: (artifact: ArtifactDetail) => ReactNode,
    of: (artifact: ArtifactDetail) => unknown = () => null,
  ): CompareRow => ({
    id,
    label,
    left: show(a),
    right: show(b),
    difference: of(a) === of(b) ? null : t('compare.different'),
  })
  const none = t('compare.none')
  const paths = (artifact: ArtifactDetail) => [...artifact.source_paths].sort().join('\n')
  return (
    <CompareTable
      label={t('compare.overview')}
      heads={{
        row: t('compare.property'),
        left: t('compare.left'),
        right: t('compare.right'),
        difference: t('compare.difference'),
      }}
      rows={[
        row('title', t('name'), (one) => <Link href={`/artifacts/${one.artifact_id}`}>{one.title}</Link>),
        row(
          'type',
          t('type'),
          (one) => t(`types.${one.type}`),
          (one) => one.type,
        ),
        row('finalized', t('finalized'), (one) => <ExactTime at={one.finalized_at} />),
        row(
          'engine',
          t('engine'),
          (one) => `${one.engine.id} ${one.engine.version}`,
          (one) => `${one.engine.id} ${one.engine.version}`,
        ),
        row(
          'grounding',
          t('groundingColumn'),
          ({ grounding: g }) => (
            <StatusBadge {...GROUNDING[g.status]}>
              {t('groundedOf', { n: g.grounded_claims, total: g.claims })}
            </StatusBadge>
          ),
          ({ grounding: g }) => `${g.grounded_claims}/${g.claims}`,
        ),
        row(
          'sources',
          t('sources'),
          (one) => <span className="whitespace-pre-line font-mono text-sm">{paths(one) || none}</span>,
          paths,
        ),
        row('run', t('runOf'), ({ run_id }) =>
          run_id ? (
            <Link href={`/runs/${run_id}`} className="break-all font-mono text-sm">
              {run_id}
            </Link>
          ) : (
            none
          ),
        ),
        row(
          'digest',
          t('digest'),
          (one) => <Digest value={one.content_sha256} />,
          (one) => one.content_sha256,
        ),
      ]}
    />
  )
}
