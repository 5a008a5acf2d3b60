import type { MarkedSentence, MarkedText } from '#contracts/artifact.contract.ts'
import type { ResearchBrief } from '#contracts/research.contract.ts'
import type { NumberedSource } from './components/source-context.tsx'
import { isGone } from './status.ts'

/** Which sentences of a text are shown: all of it, those without a source, those whose every source is gone from the garden. */
export const SHOWN = ['all', 'ungrounded', 'changed'] as const
export type Shown = (typeof SHOWN)[number]

export function isMarkedAs(
  shown: Shown,
  { sources }: MarkedSentence,
  all: readonly Pick<NumberedSource, 'now'>[],
): boolean {
  if (shown === 'all') return true
  if (shown === 'ungrounded') return sources.length === 0
  return sources.length > 0 && sources.every((place) => isGone(all[place]?.now))
}

/** The sentences of a text that pass. */
export const sentencesThat = (
  { summary, sections, conclusions }: MarkedText,
  passes: (sentence: MarkedSentence) => boolean,
): MarkedSentence[] => [...summary, ...sections.flat(), ...conclusions.flat()].filter(passes)

type Section = ResearchBrief['sections'][number]

/**
 * The cited places of a section: those that its sentences stand in. Of a document without marks those of its documents whose words occur in its
 * text, else all of its documents.
 */
export function sourcesOfSection(
  section: Section,
  marked: readonly MarkedSentence[] | undefined,
  all: readonly NumberedSource[],
): NumberedSource[] {
  if (marked) return all.filter(({ n }) => marked.some(({ sources }) => sources.includes(n - 1)))
  const squeeze = (text: string) => text.replace(/[\s>*_`#|-]+/g, ' ')
  const body = squeeze(section.body)
  const own = all.filter((source) => section.sources.includes(source.ref))
  const quoted = own.filter(({ excerpt }) => overlaps(body, squeeze(excerpt)))
  return quoted.length > 0 ? quoted : own
}

const PIECE = 24
const overlaps = (body: string, excerpt: string) =>
  excerpt.length <= PIECE
    ? body.includes(excerpt.trim())
    : [0, 0.25, 0.5].some((at) =>
        body.includes(excerpt.substring(excerpt.length * at, excerpt.length * at + PIECE)),
      )
