'use client'
import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl/react'
import { useTRPC } from '#lib/trpc.tsx'
import { buttonClass } from '#ui/button-class.ts'
import { Excerpt } from '#ui/citation.tsx'
import { FileLines } from '#ui/file-lines.tsx'
import { Link } from '#ui/link.tsx'
import { Popover } from '#ui/popover.tsx'
import { Skeleton } from '#ui/skeleton.tsx'
import { isNote, linesOf, noteHref } from '../source-place.ts'
import type { NumberedSource } from './source-context.tsx'
import { SourceStateBadge } from './source-state.tsx'

type Props = { source: NumberedSource; anchor: HTMLElement; onClose: () => void }

/** One cited place: the quote, its lines in the file at its revision, and what became of them since. */
export function SourcePanel({ source, anchor, onClose }: Props) {
  const t = useTranslations('artifacts')
  const { n, ref, lines, excerpt, revision, now } = source
  return (
    <Popover anchor={anchor} title={t('sourceN', { n })} onClose={onClose}>
      <Excerpt
        cited={{ source: ref, lines: linesOf(lines), quote: excerpt, revision }}
        mark={<SourceStateBadge now={now} />}
      />
      {inGarden(source) ? <LinesThen source={source} /> : null}
      {now ? <Explained source={source} /> : null}
    </Popover>
  )
}

/** Files of the garden are read at commits of it; a text that the job brought is nowhere else. */
const inGarden = ({ ref, revision, now }: NumberedSource): boolean =>
  now !== undefined && now.state !== 'external' && isNote(ref) && /^[0-9a-f]{40}$/.test(revision)

function LinesThen({ source: { ref, lines, revision } }: { source: NumberedSource }) {
  const t = useTranslations('artifacts')
  const trpc = useTRPC()
  const then = useQuery(
    trpc.notes.excerpt.queryOptions({ path: ref, ...lines, revision, around: 2 }, { retry: false }),
  )
  if (then.error) return <p className="mt-3 text-sm text-ink-3">{t('noLines')}</p>
  return (
    <div className="mt-3">
      <h3 className="mb-1 text-sm text-ink-3">{t('inFile')}</h3>
      {then.data ? <FileLines lines={then.data.lines} /> : <Skeleton lines={5} label={t('inFile')} />}
    </div>
  )
}

/** A sentence on the state, and the way to the place as it is now. */
function Explained({ source: { ref, lines, revision, now } }: { source: NumberedSource }) {
  const t = useTranslations('artifacts')
  const state = now?.state ?? 'same'
  const button = buttonClass('secondary', 'sm')
  return (
    <div className="mt-3 flex flex-wrap items-center gap-x-4 gap-y-2">
      {state === 'same' ? null : (
        <p className="min-w-0 flex-1 basis-64 text-sm text-ink-2">{t(`sourceHint.${state}`)}</p>
      )}
      {isNote(ref) && state !== 'external' && state !== 'deleted' ? (
        <Link
          className={button}
          href={state === 'same' ? noteHref(ref, lines, revision) : noteHref(ref, now?.lines ?? undefined)}
        >
          {t('openNote')}
        </Link>
      ) : null}
    </div>
  )
}
