'use client'
import { useTranslations } from 'use-intl/react'
import type { MarkedSentence, MarkedText } from '#contracts/artifact.contract.ts'
import type { ResearchBrief } from '#contracts/research.contract.ts'
import { isMarkedAs, type Shown } from '../sentences.ts'
import { useSources } from './source-context.tsx'
import { SourceMarks } from './source-marks.tsx'

type Props = { content: ResearchBrief; sentences: MarkedText; shown: Shown }

/** Some of the sentences, each once, below the heading that they belong to. */
export function FilteredSentences({ content, sentences, shown }: Props) {
  const t = useTranslations('artifacts')
  const { all } = useSources()
  const parts = [
    { title: t('summary'), marked: sentences.summary },
    ...content.sections.map(({ heading }, n) => ({ title: heading, marked: sentences.sections[n] ?? [] })),
    { title: t('conclusions'), marked: sentences.conclusions.flat() },
  ].flatMap(({ title, marked }) => {
    const found = marked.filter((sentence) => isMarkedAs(shown, sentence, all))
    return found.length > 0 ? [{ title, found: once(found) }] : []
  })
  if (parts.length === 0)
    return <p className="text-ink-3">{t(shown === 'changed' ? 'noneChanged' : 'noneUngroundedSentence')}</p>
  return parts.map(({ title, found }) => (
    <section key={`${title} ${found[0]?.text}`} className="mt-8">
      <h2 className="text-lg font-semibold">{title}</h2>
      <ul>
        {found.map(({ text, sources }) => (
          <li key={text}>
            {text} <SourceMarks value={sources.length > 0 ? sources.join(',') : '-'} />
          </li>
        ))}
      </ul>
    </section>
  ))
}

const once = (sentences: readonly MarkedSentence[]): MarkedSentence[] => [
  ...new Map(sentences.map((sentence) => [sentence.text, sentence])).values(),
]
