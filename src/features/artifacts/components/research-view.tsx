'use client'
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { ArtifactDetail, MarkedSentence, MarkedText } from '#contracts/artifact.contract.ts'
import type { ArtifactSource, ResearchBrief } from '#contracts/research.contract.ts'
import { Excerpt } from '#ui/citation.tsx'
import { cx } from '#ui/cx.ts'
import { Checkbox } from '#ui/fields.tsx'
import { MarkdownView } from '#ui/lazy.tsx'

type Props = {
  content: ResearchBrief
  sources: readonly ArtifactSource[]
  readable: ArtifactDetail['readable']
  sentences: ArtifactDetail['sentences']
}
type Numbered = ArtifactSource & { n: number }

/** A research brief as it reads: sections that fold, and after each the sources whose lines open in place. */
export function ResearchView({ content, sources, readable, sentences }: Props) {
  const t = useTranslations('artifacts')
  const [only, setOnly] = useState(false)
  const numbered = sources.map((s, i): Numbered => ({ ...s, n: i + 1 }))
  if (only && sentences)
    return (
      <div className="prose">
        <Checkbox label={t('onlyUngrounded')} checked={only} onChange={setOnly} />
        <Ungrounded content={content} sentences={sentences} />
      </div>
    )
  const shown = content.sections.filter((s) => !only || s.sources.length === 0)
  return (
    <div className="prose">
      {content.summary ? <MarkdownView tree={readable?.summary} /> : null}
      <Checkbox label={t('onlyUngrounded')} checked={only} onChange={setOnly} />
      {shown.length === 0 ? <p className="text-ink-3">{t('noneUngrounded')}</p> : null}
      {shown.map((section) => {
        const n = content.sections.indexOf(section)
        return (
          <details key={`${section.heading}${section.body.slice(0, 40)}`} open className="group mt-6">
            <summary className="flex cursor-pointer list-none items-center gap-1.5">
              <ChevronRight
                className="size-4 shrink-0 text-ink-3 transition-transform group-open:rotate-90"
                aria-hidden
              />
              <h2 className="m-0 text-lg font-semibold">{section.heading}</h2>
            </summary>
            <MarkdownView tree={readable?.sections[n]} />
            <Sources all={markedSources(sentences?.sections[n], numbered) ?? sourcesOf(section, numbered)} />
          </details>
        )
      })}
      <Lines title={t('conclusions')} lines={content.conclusions} trees={readable?.conclusions ?? []} />
      <Lines title={t('openQuestions')} lines={content.open_questions} />
    </div>
  )
}

/** The sentences that stand in no source, below the heading that they belong to. */
function Ungrounded({ content, sentences }: { content: ResearchBrief; sentences: MarkedText }) {
  const t = useTranslations('artifacts')
  const parts = [
    { title: t('summary'), marked: sentences.summary },
    ...content.sections.map(({ heading }, n) => ({ title: heading, marked: sentences.sections[n] ?? [] })),
    { title: t('conclusions'), marked: sentences.conclusions.flat() },
  ]
  const shown = parts.flatMap(({ title, marked }) => {
    const lines = marked.filter(({ sources }) => sources.length === 0).map(({ text }) => text)
    return lines.length > 0 ? [{ title, lines: [...new Set(lines)] }] : []
  })
  if (shown.length === 0) return <p className="text-ink-3">{t('noneUngroundedSentence')}</p>
  return shown.map(({ title, lines }) => <Lines key={`${title} ${lines[0]}`} title={title} lines={lines} />)
}

/** The places that the sentences of a section stand in; null where nothing is marked. */
const markedSources = (
  marked: readonly MarkedSentence[] | undefined,
  sources: readonly Numbered[],
): Numbered[] | null =>
  marked ? sources.filter(({ n }) => marked.some((sentence) => sentence.sources.includes(n - 1))) : null

/** The cited places of a section: those of its documents whose words occur in its text, else all of its documents. */
function sourcesOf(section: ResearchBrief['sections'][number], sources: readonly Numbered[]): Numbered[] {
  const squeeze = (text: string) => text.replace(/[\s>*_`#|-]+/g, ' ')
  const body = squeeze(section.body)
  const own = sources.filter((s) => section.sources.includes(s.ref))
  const quoted = own.filter(
    (s) => squeeze(s.excerpt).split(' ').length > 0 && overlaps(body, squeeze(s.excerpt)),
  )
  return quoted.length > 0 ? quoted : own
}

const PIECE = 24
const overlaps = (body: string, excerpt: string) =>
  excerpt.length <= PIECE
    ? body.includes(excerpt.trim())
    : [0, 0.25, 0.5].some((at) =>
        body.includes(excerpt.substring(excerpt.length * at, excerpt.length * at + PIECE)),
      )

function Sources({ all }: { all: readonly Numbered[] }) {
  const t = useTranslations('artifacts')
  const [open, setOpen] = useState<number | null>(null)
  if (all.length === 0) return <p className="text-sm text-waiting">{t('noSource')}</p>
  const cited = all.find((s) => s.n === open)
  return (
    <>
      <ul className="m-0 flex list-none flex-wrap gap-1.5 p-0">
        {all.map((s) => (
          <li key={s.n} className="m-0 p-0">
            <button
              type="button"
              aria-expanded={s.n === open}
              onClick={() => setOpen(s.n === open ? null : s.n)}
              className={cx(
                'inline-flex h-6 max-w-72 items-center gap-1.5 rounded-full px-2 text-sm',
                s.n === open ? 'bg-selected text-ink' : 'bg-accent-soft text-accent hover:bg-selected',
              )}
            >
              <span className="sr-only">{t('source', { n: s.n, path: s.ref, lines: linesOf(s) })}</span>
              <b className="tabular">{s.n}</b>
              <span className="truncate">{s.ref.split('/').at(-1)}</span>
              <span className="tabular whitespace-nowrap">{linesOf(s)}</span>
            </button>
          </li>
        ))}
      </ul>
      {cited ? (
        <div className="mt-2">
          <Excerpt
            cited={{
              source: cited.ref,
              lines: linesOf(cited),
              quote: cited.excerpt,
              revision: cited.revision,
              href: noteHref(cited),
            }}
          />
        </div>
      ) : null}
    </>
  )
}

const linesOf = (s: ArtifactSource) =>
  s.lines.from === s.lines.to ? `${s.lines.from}` : `${s.lines.from}–${s.lines.to}`
const noteHref = (s: ArtifactSource) =>
  `/notes/${s.ref.split('/').map(encodeURIComponent).join('/')}?from=${s.lines.from}&to=${s.lines.to}&revision=${s.revision}`

function Lines({
  title,
  lines,
  trees = [],
}: {
  title: string
  lines: readonly string[]
  trees?: readonly unknown[]
}) {
  if (lines.length === 0) return null
  return (
    <section className="mt-8">
      <h2 className="text-lg font-semibold">{title}</h2>
      <ul>
        {lines.map((line, i) => (
          <li key={line}>{trees[i] ? <MarkdownView tree={trees[i]} /> : line}</li>
        ))}
      </ul>
    </section>
  )
}
