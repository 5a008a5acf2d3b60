/**
 * An artifact as Markdown ([artifacts#exports]): front matter that says what it is, its text with a footnote behind each sentence, and of each
 * cited place path, lines, revision and quote. The same document gives the same text. Job and run stand nowhere in it, and the agent not in that of a guest.
 */
import { stringify } from 'yaml'
import {
  ARTIFACTS,
  type ArtifactDocument,
  type MarkedSentence,
  type MarkedText,
  type ReadableText,
} from '#contracts/artifact.contract.ts'
import { type ArtifactSource, researchBrief } from '#contracts/research.contract.ts'
import { EXPORT_WORDS, type ExportLanguage, type ExportWords } from './export-words.ts'
import { markedText } from './marked-text.ts'
import { markSentenceEnds } from './sentence-ends.ts'

type Labels = { source: (n: number) => string; ungrounded: string }
/** The words that are added in the language asked for, and the labels of this document's footnotes. */
type Export = { words: ExportWords; labels: Labels }
type Row = { title: string; content_sha256: string; created_at: Date }

export function artifactMarkdown(
  document: ArtifactDocument,
  { row, lang, guest }: { row: Row; lang: ExportLanguage; guest: boolean },
): string {
  const by: Export = { words: EXPORT_WORDS[lang], labels: labelsBeside([row.title, document]) }
  const text = ARTIFACTS[document.type].readable?.(document.content)
  const parts = [
    frontMatter(document, row, guest),
    `# ${row.title.replace(/\s+/gu, ' ')}`,
    ...(text ? textParts(document, text, by) : plainParts(document, by)),
    ...document.sources.map((source, n) => footnote(source, n, by)),
  ]
  const bare = text && document.grounding.grounded_claims < document.grounding.claims
  return `${[...parts, ...(bare ? [`${by.labels.ungrounded}: ${by.words.ungrounded}`] : [])].join('\n\n')}\n`
}

function frontMatter(
  document: ArtifactDocument,
  { title, content_sha256, created_at }: Row,
  guest: boolean,
): string {
  const { artifact_id, type, agent_slug, engine, grounding, tags } = document
  const fields = {
    title,
    artifact: artifact_id,
    type,
    ...(guest ? {} : { agent: agent_slug }),
    created: created_at.toISOString(),
    engine: [engine.id, engine.model, engine.version].filter(Boolean).join(' '),
    grounding: `${grounding.status} ${grounding.grounded_claims}/${grounding.claims}`,
    sha256: content_sha256,
    ...(tags.length > 0 ? { tags } : {}),
  }
  return `---\n${stringify(fields, { lineWidth: 0 })}---`
}

/**
 * Labels that stand nowhere in the document, numbered from 2 where they do: of two footnotes with one label readers show the first, so a text
 * could put a place of its own in front of the cited one. Letters are folded as readers of Markdown fold them.
 */
function labelsBeside(document: unknown): Labels {
  const folded = JSON.stringify(document).toLowerCase().toUpperCase()
  const taken = new Set([...folded.matchAll(/\^(?:SOURCE|UNGROUNDED)(\d*)/g)].map(([, number]) => number))
  let number = ''
  for (let next = 2; taken.has(number); next++) number = String(next)
  return { source: (n) => `[^source${number}-${n + 1}]`, ungrounded: `[^ungrounded${number}]` }
}

const cited = (labels: Labels, text: string, sentences: readonly MarkedSentence[] = []): string =>
  markSentenceEnds(text, sentences, (marks) => {
    const positions = [...new Set(marks.flat())].sort((a, b) => a - b)
    const none = marks.some((sources) => sources.length === 0) ? labels.ungrounded : ''
    return positions.map(labels.source).join('') + none
  })

function textParts(document: ArtifactDocument, text: ReadableText, { words, labels }: Export): string[] {
  const { content, marks, sources } = document
  const marked: MarkedText | null = marks ? markedText(text, marks) : null
  const brief = researchBrief.safeParse(content)
  const headings = brief.success ? brief.data.sections.map(({ heading }) => heading) : []
  return [
    cited(labels, text.summary, marked?.summary),
    ...text.sections.flatMap((section, n) => [
      `## ${headings[n] ?? ''}`,
      cited(labels, section.body, marked?.sections[n]),
      // A document without marks says of each section alone what it leans on.
      marked ? '' : labelsOf(labels, sources, section.sources),
    ]),
    ...list(
      words.conclusions,
      text.conclusions.map((line, n) => cited(labels, line, marked?.conclusions[n])),
    ),
    ...list(words.questions, brief.success ? brief.data.open_questions : []),
  ].filter((part) => part.trim() !== '')
}

const labelsOf = (labels: Labels, sources: readonly ArtifactSource[], refs: readonly string[]): string =>
  sources.map(({ ref }, n) => (refs.includes(ref) ? labels.source(n) : '')).join('')

const list = (heading: string, items: readonly string[]): string[] =>
  items.length === 0
    ? []
    : [`## ${heading}`, items.map((item) => `- ${item.replaceAll('\n', '\n  ')}`).join('\n')]

/** Content without a text of its own stands as it is. */
function plainParts({ content, sources }: ArtifactDocument, { words, labels }: Export): string[] {
  const json = JSON.stringify(content, null, 2)
  const cites = sources.map((_, n) => labels.source(n)).join(' ')
  return [
    `${fenceFor(json)}json\n${json}\n${fenceFor(json)}`,
    ...(cites ? [`${words.sources}: ${cites}`] : []),
  ]
}

function footnote(
  { ref, lines, revision, excerpt }: ArtifactSource,
  n: number,
  { words, labels }: Export,
): string {
  const place = `${codeSpan(ref)}, ${words.lines(lines)}, ${words.revision} ${codeSpan(revision)}`
  const quote = excerpt.split('\n').map((line) => `    > ${line}`.trimEnd())
  return `${labels.source(n)}: ${place}\n\n${quote.join('\n')}`
}

const longestRun = (text: string): number =>
  Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
const fenceFor = (text: string): string => '`'.repeat(Math.max(3, longestRun(text) + 1))

function codeSpan(text: string): string {
  const ticks = '`'.repeat(longestRun(text) + 1)
  return ticks.length > 1 ? `${ticks} ${text} ${ticks}` : `${ticks}${text}${ticks}`
}
