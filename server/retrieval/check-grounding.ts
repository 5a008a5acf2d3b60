import type { ArtifactSource, Grounding, ResearchBrief } from '#contracts/research.contract.ts'
import { type IndexDocument, linesOf } from './document-lines.ts'
import { foldSpace, sentencesOf } from './sentences.ts'

/**
 * Grounded or not, by code and the same for every engine ([retrieval#grounding]). A claim is grounded when it stands, white space
 * folded, in a citation whose excerpt stands verbatim at its lines of the source at that revision.
 */
export type GroundingCheck = Grounding & { faults: string[] }

/** True when the excerpt is verbatim text of the lines that the citation names. */
export function isVerbatim(source: ArtifactSource, documents: readonly IndexDocument[]): boolean {
  return documents.some(
    (d) =>
      d.ref === source.ref &&
      d.revision === source.revision &&
      linesOf(d, source.lines).includes(source.excerpt),
  )
}

/** Counts claims of a brief; `faults` names what a reviewer should look at: false excerpts, sections whose refs cite nothing. */
export function checkGrounding(
  brief: ResearchBrief,
  sources: readonly ArtifactSource[],
  documents: readonly IndexDocument[],
): GroundingCheck {
  const good = sources
    .filter((s) => isVerbatim(s, documents))
    .map((s) => ({ ref: s.ref, quote: foldSpace(s.excerpt) }))
  const faults = sources
    .filter((s) => !isVerbatim(s, documents))
    .map((s) => `the excerpt is not at ${s.ref}:${s.lines.from}–${s.lines.to}`)
  const cited = new Set(sources.map((s) => s.ref))
  for (const section of brief.sections) {
    for (const ref of section.sources)
      if (!cited.has(ref)) faults.push(`a section names ${ref}, which is not cited`)
  }
  const anywhere = [brief.summary, ...brief.conclusions]
    .flatMap(sentencesOf)
    .map((claim) => ({ claim, quotes: good }))
  const inSections = brief.sections.flatMap((section) =>
    sentencesOf(section.body).map((claim) => ({
      claim,
      quotes: good.filter((g) => section.sources.includes(g.ref)),
    })),
  )
  const claims = [...anywhere, ...inSections]
  const grounded = claims.filter(({ claim, quotes }) =>
    quotes.some((q) => q.quote.includes(foldSpace(claim))),
  ).length
  const status = grounded === 0 ? 'ungrounded' : grounded === claims.length ? 'grounded' : 'partial'
  return { status, claims: claims.length, grounded_claims: grounded, faults }
}
