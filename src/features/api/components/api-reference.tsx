'use client'
import { useTranslations } from 'use-intl/react'
import { useFilters } from '#lib/url-state.ts'
import type { ApiEntry, ApiOperation } from '#server/http/api-reference.ts'
import { cx } from '#ui/cx.ts'
import { EmptyState } from '#ui/empty-state.tsx'
import { FilterBar } from '#ui/filter-bar.tsx'
import { Link } from '#ui/link.tsx'
import { PageHeader } from '#ui/page-header.tsx'
import { SplitPane } from '#ui/split-pane.tsx'
import { Method } from './method.tsx'
import { OperationDetail } from './operation-detail.tsx'

const HOME = '/api/v1/docs'
type Props = {
  entries: readonly ApiEntry[]
  /** The address that is asked for; null: only the list. */
  open: string | null
  /** What stands at that address; null: there is none. */
  operation: ApiOperation | null
}

/** What programs can call: by subject on the left, one operation with its fields and an example on the right. */
export function ApiReference({ entries, open, operation }: Props) {
  const t = useTranslations('api')
  return (
    <SplitPane
      listHref={HOME}
      detailLabel={t('operation')}
      list={
        <>
          <PageHeader
            title={t('title')}
            sentence={t('sentence', { count: entries.length })}
            action={
              <a href="/api/v1/openapi.json" className="text-accent hover:underline">
                {t('document')}
              </a>
            }
          />
          <Entries entries={entries} open={open} />
        </>
      }
      detail={open === null ? null : operation ? <OperationDetail operation={operation} /> : <Unknown />}
    />
  )
}

function Unknown() {
  const t = useTranslations('api')
  return <EmptyState title={t('unknown')}>{t('unknownHint')}</EmptyState>
}

const FILTERS = ['q'] as const

function Entries({ entries, open }: Pick<Props, 'entries' | 'open'>) {
  const t = useTranslations('api')
  const filters = useFilters(FILTERS)
  const words = (filters.values.q ?? '').toLowerCase().split(/\s+/)
  const found = entries.filter((entry) => {
    const text = `${entry.address} ${entry.summary} ${entry.tag}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  return (
    <>
      <FilterBar filters={filters} specs={[{ kind: 'search', key: 'q', label: t('search') }]} />
      {found.length === 0 ? <EmptyState title={t('nothing')} /> : null}
      <nav aria-label={t('title')}>
        {[...Map.groupBy(found, (entry) => entry.tag)].map(([tag, group]) => (
          <section key={tag} className="mt-5 first:mt-0">
            <h2 className="mb-1 text-sm font-semibold text-ink-2">{tag}</h2>
            <ul>
              {group.map((entry) => (
                <Row
                  key={entry.address}
                  entry={entry}
                  current={entry.address === open}
                  q={filters.values.q}
                />
              ))}
            </ul>
          </section>
        ))}
      </nav>
    </>
  )
}

function Row({ entry, current, q }: { entry: ApiEntry; current: boolean; q: string | null | undefined }) {
  const query = new URLSearchParams({ ...(q ? { q } : {}), operation: entry.address })
  return (
    <li>
      <Link
        quiet
        href={`${HOME}?${query}`}
        aria-current={current ? 'page' : undefined}
        className={cx(
          'grid grid-cols-[4rem_minmax(0,1fr)] gap-x-2 rounded px-2 py-1.5 no-underline hover:bg-hover hover:no-underline',
          current && 'bg-selected',
        )}
      >
        <Method method={entry.method} />
        <span className="min-w-0">
          <span className="block break-words font-mono text-sm text-ink">{entry.path}</span>
          <span className="block text-sm text-ink-3">{entry.summary}</span>
        </span>
      </Link>
    </li>
  )
}
