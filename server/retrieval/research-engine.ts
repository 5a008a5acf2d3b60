import type { ArtifactSource, EngineMark, Grounding, ResearchBrief } from '#contracts/research.contract.ts'
import { BRIEF_TEMPLATES } from './brief-templates.ts'
import { checkGrounding } from './check-grounding.ts'
import { answersOf, conclusionsOf, summaryOf } from './choose-answers.ts'
import { type Concept, languageOf, mentionsConcept, type QuestionLanguage, stemsOf } from './question.ts'
import { bodyOf, quotesOf } from './quote-sections.ts'
import type { SearchIndex } from './search-index.ts'
import { analyzeQuestion, type ChosenSection, selectSections } from './select-sections.ts'
import { foldSpace } from './sentences.ts'

/**
 * The engine `extractive`: a research brief of verbatim text, without a language model.
 *
 * It chooses passages (select-sections.ts), shows them under the headings of their notes, repeats the best of them as summary and
 * conclusions, and turns question words that no chosen passage speaks of into open questions. It writes no sentence of its own but the
 * fixed words of brief-templates.ts. The same texts and question give the same brief.
 *
 * Failure modes: none. When nothing fits, the brief says so in one section, cites nothing and is marked ungrounded.
 */
export const EXTRACTIVE_ENGINE: EngineMark = { id: 'extractive', model: null, version: '1.0.0' }

const DEFAULT_SECTIONS = 5

export type ResearchQuestion = { query: string; language?: QuestionLanguage; maxSections?: number }
export type ResearchAnswer = {
  content: ResearchBrief
  sources: ArtifactSource[]
  grounding: Grounding
  engine: EngineMark
}

/** Answers a question from an index of the sources. */
export function research(index: SearchIndex, question: ResearchQuestion): ResearchAnswer {
  const asked = analyzeQuestion(index, question.query)
  const chosen = selectSections(index, asked, question.maxSections ?? DEFAULT_SECTIONS)
  const language = question.language ?? languageOf(question.query)
  const title = titleOf(question.query)
  if (chosen.length === 0) return nothingFound(title, language, asked.concepts)
  const parts = chosen.map((section) => ({ section, quotes: quotesOf(section) }))
  const sources = parts.flatMap((p) => p.quotes)
  const quoted = sources.map((s) => foldSpace(s.excerpt))
  const answers = answersOf(chosen, asked).filter((a) => quoted.some((q) => q.includes(foldSpace(a.text))))
  const summary = summaryOf(answers)
  const content: ResearchBrief = {
    title,
    summary: summary.join('\n\n'),
    sections: parts.map(({ section, quotes }) => ({
      heading: headingOf(section),
      body: bodyOf(quotes),
      sources: [section.ref],
    })),
    conclusions: conclusionsOf(answers, summary),
    open_questions: openQuestions(asked.concepts, sources, language),
  }
  const { status, claims, grounded_claims } = checkGrounding(content, sources, index.documents)
  return { content, sources, grounding: { status, claims, grounded_claims }, engine: EXTRACTIVE_ENGINE }
}

const titleOf = (query: string) => Array.from(foldSpace(query)).slice(0, 200).join('')

function nothingFound(
  title: string,
  language: QuestionLanguage,
  concepts: readonly Concept[],
): ResearchAnswer {
  const say = BRIEF_TEMPLATES[language]
  const content: ResearchBrief = {
    title,
    summary: say.nothing,
    sections: [{ heading: say.nothingHeading, body: say.nothing, sources: [] }],
    conclusions: [],
    open_questions: [title, ...concepts.slice(0, 12).map((n) => say.unanswered(n.label.slice(0, 80)))],
  }
  const { status, claims, grounded_claims } = checkGrounding(content, [], [])
  return { content, sources: [], grounding: { status, claims, grounded_claims }, engine: EXTRACTIVE_ENGINE }
}

/** The last two headings above the passages, as the note has them; a note without headings gives its name, and what has none its address. */
function headingOf({ headings, ref }: ChosenSection): string {
  const name = ref.split('/').at(-1)?.replace(/\.md$/iu, '') || ref
  const shown = headings.slice(-2)
  return Array.from(shown.length > 0 ? shown.join(' — ') : name)
    .slice(0, 300)
    .join('')
}

function openQuestions(
  concepts: readonly Concept[],
  sources: readonly ArtifactSource[],
  language: QuestionLanguage,
): string[] {
  const stems = stemsOf(sources.map((s) => s.excerpt).join('\n'))
  return concepts
    .filter((n) => !mentionsConcept(n, stems))
    .slice(0, 12)
    .map((n) => BRIEF_TEMPLATES[language].unanswered(n.label.slice(0, 80)))
}
