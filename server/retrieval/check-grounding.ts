import type { ReadableText, SentenceMarks } from '#contracts/artifact.contract.ts'
import type { ArtifactSource, Grounding } from '#contracts/research.contract.ts'
import { type IndexDocument, type Lines, linesOf } from './document-lines.ts'
import { foldSpace, sentencesOf } from './sentences.ts'

/**
 * Grounded or not, by code and the same for every engine ([retrieval#grounding]). A claim is grounded when it stands, white space
 * folded, in a citation whose excerpt stands verbatim at its lines of the source at that revision.
 */
export type GroundingCheck = Grounding & { faults: string[] }

/** A sentence that somebody may want a source for; `refs` are those it names, null when any source of the text will do. */
export type Claim = { text: string; refs: readonly string[] | null }

/** Whether a quote, white space folded, stands in these lines of the document; an empty one stands nowhere. */
export const holdsAt = (document: IndexDocument, lines: Lines, quote: string): boolean =>
  quote !== '' && foldSpace(linesOf(document, lines)).includes(quote)

/** True when the excerpt stands, white space folded, in the lines that the citation names. */
export function isVerbatim(source: ArtifactSource, documents: readonly IndexDocument[]): boolean {
  const quote = foldSpace(source.excerpt)
  return documents.some(
    (d) => d.ref === source.ref && d.revision === source.revision && holdsAt(d, source.lines, quote),
  )
}

/** The claims of a text with sections: summary and conclusions may lean on any source, a section on those it names. */
export const claimsOf = ({ summary, sections, conclusions }: ReadableText): Claim[] => [
  ...[summary, ...conclusions].flatMap(sentencesOf).map((text) => ({ text, refs: null })),
  ...sections.flatMap(({ body, sources }) => sentencesOf(body).map((text) => ({ text, refs: sources }))),
]

/** For a claim, the positions among the sources whose quote holds and has it. */
type Finder = (claim: Claim) => number[]

function finderOf(sources: readonly ArtifactSource[], documents: readonly IndexDocument[]): Finder {
  const quotes = sources.flatMap((s, position) =>
    isVerbatim(s, documents) ? [{ position, ref: s.ref, quote: foldSpace(s.excerpt) }] : [],
  )
  return ({ text, refs }) => {
    const claim = foldSpace(text)
    return quotes
      .filter(({ ref, quote }) => (refs === null || refs.includes(ref)) && quote.includes(claim))
      .map(({ position }) => position)
  }
}

/** How many of the claims stand in a quote that holds. */
export function countGrounded(
  claims: readonly Claim[],
  sources: readonly ArtifactSource[],
  documents: readonly IndexDocument[],
): Grounding {
  const positionsOf = finderOf(sources, documents)
  const grounded = claims.filter((claim) => positionsOf(claim).length > 0).length
  const status = grounded === 0 ? 'ungrounded' : grounded === claims.length ? 'grounded' : 'partial'
  return { status, claims: claims.length, grounded_claims: grounded }
}

/** Where each sentence of the text stands. */
export function markSentences(
  { summary, sections, conclusions }: ReadableText,
  sources: readonly ArtifactSource[],
  documents: readonly IndexDocument[],
): SentenceMarks {
  const positionsOf = finderOf(sources, documents)
  const marksOf = (text: string, refs: readonly string[] | null = null) =>
    sentencesOf(text).map((sentence) => positionsOf({ text: sentence, refs }))
  return {
    summary: marksOf(summary),
    sections: sections.map((section) => marksOf(section.body, section.sources)),
    conclusions: conclusions.map((line) => marksOf(line)),
  }
}

/** Counts claims of a brief; `faults` names what a reviewer should look at: false excerpts, sections whose refs cite nothing. */
export function checkGrounding(
  brief: ReadableText,
  sources: readonly ArtifactSource[],
  documents: readonly IndexDocument[],
): GroundingCheck {
  const faults = sources
    .filter((s) => !isVerbatim(s, documents))
    .map((s) => `the excerpt is not at ${s.ref}:${s.lines.from}–${s.lines.to}`)
  const cited = new Set(sources.map((s) => s.ref))
  for (const section of brief.sections) {
    for (const ref of section.sources)
      if (!cited.has(ref)) faults.push(`a section names ${ref}, which is not cited`)
  }
  return { ...countGrounded(claimsOf(brief), sources, documents), faults }
}
