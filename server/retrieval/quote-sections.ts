import type { ArtifactSource } from '#contracts/research.contract.ts'
import { isFence, isTableRow } from '#server/garden/markdown-lines.ts'
import { dedent, type IndexDocument, type Lines, linesOf, mergeRanges } from './document-lines.ts'
import type { ChosenSection } from './select-sections.ts'

/** Chosen sections as citations and as the body that shows them: the notes' own lines, nothing else. */
const EXCERPT_CHARS = 2000

/** Each run of lines becomes one citation; a row that stands alone brings the head of its table. */
export function quotesOf({ units }: ChosenSection): ArtifactSource[] {
  const document = units[0]?.document
  if (!document) return []
  return mergeRanges(units.flatMap((u) => (u.head ? [u.head, u.lines] : [u.lines]))).flatMap((lines) =>
    quote(document, lines),
  )
}

/** One citation for a run of lines; a run that is too long is cut at line ends, a line that is too long at the limit. */
function quote(document: IndexDocument, lines: Lines): ArtifactSource[] {
  const { ref, revision } = document
  const out: ArtifactSource[] = []
  for (let from = lines.from; from <= lines.to; ) {
    let to = from
    while (to < lines.to && linesOf(document, { from, to: to + 1 }).length <= EXCERPT_CHARS) to++
    const excerpt = cut(linesOf(document, { from, to }), EXCERPT_CHARS)
    if (excerpt.trim() !== '') out.push({ ref, lines: { from, to }, excerpt, revision })
    from = to + 1
  }
  return out
}

/** The beginning of a text that fits, never through the middle of a surrogate pair. */
function cut(text: string, limit: number): string {
  if (text.length <= limit) return text
  const end = /[\uD800-\uDBFF]/u.test(text.charAt(limit - 1)) ? limit - 1 : limit
  return text.slice(0, end)
}

/** Excerpts one under the other; rows of one table stay together so that they are read as a table. */
export function bodyOf(quotes: readonly ArtifactSource[]): string {
  const isTable = (q: ArtifactSource | undefined) =>
    q !== undefined && isTableRow(q.excerpt.split('\n').at(-1) ?? '')
  return quotes
    .map(
      (q, i) =>
        (i === 0
          ? ''
          : isTable(quotes[i - 1]) && isTable(q) && q.excerpt.trimStart().startsWith('|')
            ? '\n'
            : '\n\n') + closed(dedent(q.excerpt)),
    )
    .join('')
}

/** A fence that the excerpt opens but does not close would swallow the rest of the brief. */
function closed(text: string): string {
  const fences = text.split('\n').filter(isFence)
  return fences.length % 2 === 0 ? text : `${text}\n${fences.at(-1)?.trim().slice(0, 3)}`
}
