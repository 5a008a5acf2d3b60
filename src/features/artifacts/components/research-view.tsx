'use client'
import { useState } from 'react'
import { useTranslations } from 'use-intl/react'
import type { ArtifactDetail } from '#contracts/artifact.contract.ts'
import type { ResearchBrief } from '#contracts/research.contract.ts'
import { Segmented } from '#ui/filter-bar.tsx'
import { Icon } from '#ui/icon.tsx'
import { MarkdownView } from '#ui/lazy.tsx'
import { isMarkedAs, SHOWN, type Shown, sentencesThat, sourcesOfSection } from '../sentences.ts'
import { FilteredSentences } from './filtered-sentences.tsx'
import { SourceChips } from './source-chips.tsx'
import { useSources } from './source-context.tsx'
import { SourceMarks } from './source-marks.tsx'

type Props = {
  content: ResearchBrief
  readable: ArtifactDetail['readable']
  sentences: ArtifactDetail['sentences']
}

/** A research brief as it reads: behind each sentence what it stands in, and below each section its sources. A filter shows some sentences alone. */
export function ResearchView({ content, readable, sentences }: Props) {
  const [shown, setShown] = useState<Shown>('all')
  const some = shown !== 'all' && sentences
  // The filter keeps its place, and with it the focus, whatever it shows.
  return (
    <div className="prose">
      <ShownFilter shown={shown} onChange={setShown} sentences={sentences} />
      {some ? (
        <FilteredSentences content={content} sentences={sentences} shown={shown} />
      ) : (
        <>
          {content.summary ? <Text tree={readable?.summary} /> : null}
          <Sections
            content={content}
            readable={readable}
            sentences={sentences}
            bare={shown === 'ungrounded'}
          />
          <Lines id="conclusions" lines={content.conclusions} trees={readable?.conclusions ?? []} />
          <Lines id="openQuestions" lines={content.open_questions} />
        </>
      )}
    </div>
  )
}

const Text = ({ tree }: { tree: unknown }) => (
  <MarkdownView tree={tree} citation={(value) => <SourceMarks value={value} />} />
)

type FilterProps = Pick<Props, 'sentences'> & { shown: Shown; onChange: (shown: Shown) => void }

/** What of the text is shown; "source changed" only where some has. A document without marks is filtered by sections. */
function ShownFilter({ shown, onChange, sentences }: FilterProps) {
  const t = useTranslations('artifacts')
  const { all } = useSources()
  const count = (which: Shown) => ({
    n: sentences ? sentencesThat(sentences, (sentence) => isMarkedAs(which, sentence, all)).length : 0,
  })
  const changed = count('changed')
  return (
    <div data-chrome className="my-5 flex">
      <Segmented
        label={t('show')}
        value={shown}
        onChange={(next) => onChange(SHOWN.find((one) => one === next) ?? 'all')}
        options={[
          { value: 'all', label: t('showText') },
          {
            value: 'ungrounded',
            label: sentences ? t('ungroundedCount', count('ungrounded')) : t('onlyUngrounded'),
          },
          ...(changed.n > 0 || shown === 'changed'
            ? [{ value: 'changed', label: t('changedCount', changed) }]
            : []),
        ]}
      />
    </div>
  )
}

/** `bare`: only those without any source. */
function Sections({ content, readable, sentences, bare }: Props & { bare: boolean }) {
  const t = useTranslations('artifacts')
  const { all } = useSources()
  const shown = content.sections.filter(({ sources }) => !bare || sources.length === 0)
  if (shown.length === 0) return <p className="text-ink-3">{t('noneUngrounded')}</p>
  return shown.map((section) => {
    const n = content.sections.indexOf(section)
    return (
      <details key={`${section.heading}${section.body.slice(0, 40)}`} open className="group mt-6">
        <summary className="flex cursor-pointer list-none items-center gap-1.5">
          <Icon
            name="chevron-right"
            data-chrome
            className="size-4 shrink-0 text-ink-3 transition-transform group-open:rotate-90"
          />
          <h2 className="m-0 text-lg font-semibold">{section.heading}</h2>
        </summary>
        <Text tree={readable?.sections[n]} />
        <SourceChips sources={sourcesOfSection(section, sentences?.sections[n], all)} />
      </details>
    )
  })
}

type LinesProps = {
  id: 'conclusions' | 'openQuestions'
  lines: readonly string[]
  trees?: readonly unknown[]
}

function Lines({ id, lines, trees = [] }: LinesProps) {
  const t = useTranslations('artifacts')
  if (lines.length === 0) return null
  return (
    <section className="mt-8">
      <h2 className="text-lg font-semibold">{t(id)}</h2>
      <ul>
        {lines.map((line, i) => (
          <li key={line}>{trees[i] ? <Text tree={trees[i]} /> : line}</li>
        ))}
      </ul>
    </section>
  )
}
