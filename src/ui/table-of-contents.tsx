'use client'
import { useEffect, useState } from 'react'
import { useTranslations } from 'use-intl/react'
import { cx } from './cx.ts'

export type TocHeading = { depth: number; text: string; id: string }

type Props = {
  headings: readonly TocHeading[]
  /** A list beside the text, or a disclosure above it. */
  form: 'list' | 'disclosure'
}

/** Fewer headings need no table. */
const LEAST = 2
/** A heading above this part of the window is the one that is read. */
const READING_LINE = 0.3

/** The headings of a document, the one that is being read marked while the page scrolls; nothing where there are hardly any. */
export function TableOfContents({ headings, form }: Props) {
  const t = useTranslations('ui')
  if (headings.length < LEAST) return null
  if (form === 'disclosure') return <Disclosure headings={headings} />
  return (
    <nav aria-label={t('contents')}>
      <h2 className="mb-2 text-base font-semibold text-ink">{t('contents')}</h2>
      <Headings headings={headings} />
    </nav>
  )
}

/** Closed, it does not watch the page scroll. */
function Disclosure({ headings }: Pick<Props, 'headings'>) {
  const t = useTranslations('ui')
  const [open, setOpen] = useState(false)
  return (
    <details
      className="mb-5 rounded border border-line bg-sunken px-3 text-sm"
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary className="cursor-pointer py-2 text-ink-2 pointer-coarse:py-3">
        {t('contentsOf', { n: headings.length })}
      </summary>
      <nav aria-label={t('contents')} className="pb-2">
        {open ? <Headings headings={headings} /> : null}
      </nav>
    </details>
  )
}

const INDENT = ['', 'pl-3', 'pl-6', 'pl-9', 'pl-9', 'pl-9']

function Headings({ headings }: Pick<Props, 'headings'>) {
  const current = useCurrentHeading(headings)
  const top = Math.min(...headings.map(({ depth }) => depth))
  return (
    <ol className="border-l border-line text-sm">
      {headings.map(({ id, text, depth }) => (
        <li key={id} className={INDENT[depth - top]}>
          <a
            href={`#${id}`}
            aria-current={id === current ? 'location' : undefined}
            className={cx(
              '-ml-px block break-words border-l-2 py-1 pl-3 hover:text-ink pointer-coarse:py-2.5',
              id === current ? 'border-accent text-ink' : 'border-transparent text-ink-3',
            )}
          >
            {text}
          </a>
        </li>
      ))}
    </ol>
  )
}

/** The last heading above the reading line, else the first. */
function useCurrentHeading(headings: readonly TocHeading[]): string | null {
  const [current, setCurrent] = useState<string | null>(null)
  useEffect(() => {
    let frame = 0
    const find = () => {
      frame = 0
      const line = window.innerHeight * READING_LINE
      const tops = headings.flatMap(({ id }) => {
        const top = document.getElementById(id)?.getBoundingClientRect().top
        return top === undefined ? [] : [{ id, top }]
      })
      const above = tops.filter(({ top }) => top <= line).at(-1)
      setCurrent((above ?? tops[0])?.id ?? null)
    }
    const soon = () => {
      frame ||= requestAnimationFrame(find)
    }
    soon()
    // The page itself scrolls on a phone, its main part elsewhere.
    const how = { capture: true, passive: true } as const
    document.addEventListener('scroll', soon, how)
    window.addEventListener('resize', soon)
    return () => {
      cancelAnimationFrame(frame)
      document.removeEventListener('scroll', soon, how)
      window.removeEventListener('resize', soon)
    }
  }, [headings])
  return current
}
