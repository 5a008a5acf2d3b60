import { stringify } from 'yaml'
import type { ArtifactSource, Grounding, ResearchBrief } from '#contracts/research.contract.ts'
import type { ProposedCitation } from '#server/ports/agent-executor.ts'
import type { QuestionLanguage } from '#server/retrieval/question.ts'
import { head } from './draft-output.ts'
import { NO_MODEL, NOTE_TEMPLATES } from './note-templates.ts'

/** A research brief as a note of the garden: the brief's own text, with the lines that each section is taken from. */
export type BriefNote = {
  artifactId: string
  content: ResearchBrief
  sources: readonly ArtifactSource[]
  grounding: Grounding
  language: QuestionLanguage
  today: string
}

const CITATIONS = 40

/** `[[path|path:12–14]]`; the bar needs no escape outside tables. */
const place = ({ ref, lines }: ArtifactSource) => {
  const name = ref.replace(/\.md$/iu, '')
  const range = lines.from === lines.to ? `${lines.from}` : `${lines.from}–${lines.to}`
  return `[[${name}|${ref}:${range}]]`
}

function frontmatter({ artifactId, content, grounding, today }: BriefNote): string {
  const fields = {
    title: content.title,
    created: today,
    tags: ['research'],
    artifact: artifactId,
    engine: NO_MODEL,
    grounding: `${grounding.status} ${grounding.grounded_claims}/${grounding.claims}`,
  }
  return `---\n${stringify(fields, { lineWidth: 0 })}---\n`
}

/** The note's text; only the first `sections` sections are shown. */
export function renderBrief(note: BriefNote, sections = note.content.sections.length): string {
  const { content, grounding, language, today } = note
  const say = NOTE_TEMPLATES[language]
  const counted = grounding.claims > 0 ? ` ${say.grounded(grounding.grounded_claims, grounding.claims)}` : ''
  const list = (heading: string, items: readonly string[]) =>
    items.length === 0
      ? []
      : [`## ${heading}`, items.map((i) => `- ${i.replaceAll('\n', '\n  ')}`).join('\n')]
  const parts = [
    `# ${content.title}`,
    `> ${say.made(today)}${counted}`,
    content.summary,
    ...content.sections.slice(0, sections).flatMap((s) => [`## ${s.heading}`, s.body, citedSources(note, s)]),
    ...(sections < content.sections.length ? [`*${say.cut}*`] : []),
    ...list(say.conclusions, content.conclusions),
    ...list(say.open, content.open_questions),
  ]
  return `${frontmatter(note)}\n${parts.filter((p) => p.trim() !== '').join('\n\n')}\n`
}

function citedSources({ sources, language }: BriefNote, section: ResearchBrief['sections'][number]): string {
  const shown = sources.filter((s) => section.sources.includes(s.ref) && standsIn(section.body, s.excerpt))
  return shown.length === 0 ? '' : `*${NOTE_TEMPLATES[language].sources}: ${shown.map(place).join(', ')}*`
}

const bare = (text: string) => text.replace(/\s+/gu, ' ').trim()
const standsIn = (body: string, excerpt: string) => bare(body).includes(bare(excerpt))

/** The citations of a proposal: verbatim, each at most `chars` characters of its excerpt. */
export function citationsOf(sources: readonly ArtifactSource[], chars: number): ProposedCitation[] {
  return sources.slice(0, CITATIONS).map(({ ref, lines, excerpt, revision }) => ({
    source: ref,
    lines,
    quote: wholeLines(excerpt, chars),
    source_revision: revision,
  }))
}

/** The first lines that fit; of a first line that is too long its beginning. */
function wholeLines(excerpt: string, chars: number): string {
  if (excerpt.length <= chars) return excerpt
  const cut = excerpt.lastIndexOf('\n', chars)
  return cut > 0 ? excerpt.slice(0, cut) : head(excerpt, chars)
}
