import { type IndexDocument, type Lines, linesOf } from './document-lines.ts'
import type { Passage } from './passages.ts'
import { type Concept, conceptsOf, mentionsConcept, RELATED_WEIGHT, stemsOf } from './question.ts'
import { countPassages, inOrder, type SearchIndex, searchTerms } from './search-index.ts'

/**
 * Which parts of the notes answer a question, grouped under the headings of their notes.
 *
 * The unit is a list, table or paragraph that is short enough to be read as a whole, else a single item, row or paragraph. Its score is
 * the BM25 of its best passage plus a decaying share of the next ones, scaled by how much of the question it covers (headings count
 * less): ten mentions of one word do not answer a question of three concepts. A section's score is built the same way from its units.
 */
export type Unit = { document: IndexDocument; lines: Lines; head?: Lines; passages: Passage[]; score: number }
export type ChosenSection = { ref: string; headings: string[]; score: number; units: Unit[] }

export const BLOCK_CHARS = 1200
const CANDIDATES = 120
const HEADING_SHARE = 0.6
const MIN_COVERAGE = 0.3
const SECTION_FLOOR = 0.4
const UNIT_FLOOR = 0.5
const UNITS_PER_SECTION = 4
const CONDITION_BONUS = 1.4
const NAMES_TABLE_SHARE = 0.6
const LINKS_SHARE = 0.4
const LINK_LINE = /^\s*(?:[-*+]\s+|\d+[.)]\s+)?(?:\*\*)?(?:\[\[|\[[^\]]+\]\()/u
const ASKS_FOR_CONDITION =
  /(?<!\p{L})(if|when|happens?|якщо|коли|відбувається|стається|если|когда|происходит|случается)(?!\p{L})/iu
const CONDITION = /(?<!\p{L})(if|when|unless|once|after|якщо|коли|після|если|когда|после)(?!\p{L})/iu

/**
 * How well the form of a text suits the question: lists of links point elsewhere; where a question asks what follows from something,
 * conditions suit it and tables of names and values do not.
 */
export function formFit(asked: QuestionAnalysis, text: string): number {
  const lines = text.split('\n').filter((l) => l.trim() !== '')
  if (lines.filter((l) => LINK_LINE.test(l)).length * 2 >= lines.length) return LINKS_SHARE
  if (!asked.conditional) return 1
  const cells = [...text.matchAll(/^\s*\|\s*(\S)/gmu)].map((m) => m[1])
  if (cells.filter((c) => c === '`').length * 2 > cells.length) return NAMES_TABLE_SHARE
  return CONDITION.test(text) ? CONDITION_BONUS : 1
}

/** The concepts of a question, how rare each is among the passages, and whether it asks for consequences of a condition. */
export type QuestionAnalysis = {
  concepts: readonly Concept[]
  weights: readonly number[]
  conditional: boolean
}

/** Analyses a question against the notes that are to answer it. */
export function analyzeQuestion(index: SearchIndex, query: string): QuestionAnalysis {
  const concepts = conceptsOf(query)
  return { concepts, weights: conceptWeights(index, concepts), conditional: ASKS_FOR_CONDITION.test(query) }
}

/**
 * The rarer, the heavier; what stands nowhere is as heavy as the others are on average. One foreign word so leaves a question its passages and becomes
 * an open question, while a question of foreign words is not answered by the one that it shares with the garden.
 */
function conceptWeights(index: SearchIndex, concepts: readonly Concept[]): number[] {
  const weights = concepts.map((n) => {
    const found = countPassages(index, [...n.own, ...n.related])
    return found === 0 ? null : Math.log(1 + index.passages.length / (1 + found))
  })
  const known = weights.filter((weight) => weight !== null)
  const average = known.reduce((sum, weight) => sum + weight, 0) / Math.max(1, known.length)
  return weights.map((weight) => weight ?? average)
}

/** The part of the question, by weight, that a text covers; what only its headings name counts less. */
export function coverageOf(asked: QuestionAnalysis, text: string, headings: readonly string[] = []): number {
  const [inside, above] = [stemsOf(text), stemsOf(headings.join('\n'))]
  const total = asked.weights.reduce((sum, w) => sum + w, 0)
  const covered = asked.concepts.reduce((sum, concept, i) => {
    const share = mentionsConcept(concept, inside) ? 1 : mentionsConcept(concept, above) ? HEADING_SHARE : 0
    return sum + share * (asked.weights[i] ?? 0)
  }, 0)
  return total === 0 ? 0 : covered / total
}

/** A drawing or a program is no prose; a plain fence without either is often an algorithm written in words. */
function isProse(passage: Passage): boolean {
  if (passage.kind !== 'code') return true
  return /^\s*(```|~~~)\s*(text|txt)?\s*\n/u.test(passage.text) && !/[\u2500-\u257F{}]/u.test(passage.text)
}

type Found = Omit<Unit, 'score'> & { raws: number[] }

function foundUnits(index: SearchIndex, concepts: readonly Concept[]): Found[] {
  const weighted = concepts.flatMap((n) => [
    ...n.related.map((term) => ({ term, weight: RELATED_WEIGHT })),
    ...n.own.map((term) => ({ term, weight: 1 })),
  ])
  const units = new Map<string, Found>()
  for (const { passage, raw } of searchTerms(index, weighted, CANDIDATES)) {
    const document = isProse(passage) ? holder(index.documents, passage) : undefined
    if (!document) continue
    const whole = linesOf(document, passage.block).length <= BLOCK_CHARS
    const lines = whole ? passage.block : passage.lines
    const key = JSON.stringify([passage.ref, lines.from])
    const head = !whole && passage.head ? { head: passage.head } : {}
    const unit = units.get(key) ?? { document, lines, ...head, passages: [], raws: [] }
    unit.passages.push(passage)
    unit.raws.push(raw)
    units.set(key, unit)
  }
  return [...units.values()]
}

const holder = (documents: readonly IndexDocument[], passage: Passage) =>
  documents.find((d) => d.ref === passage.ref && linesOf(d, passage.lines) === passage.text)

/** At most `max` sections, best first; the units of each in the order of their lines. */
export function selectSections(index: SearchIndex, asked: QuestionAnalysis, max: number): ChosenSection[] {
  const groups = new Map<string, ChosenSection>()
  for (const { raws, ...found } of foundUnits(index, asked.concepts)) {
    const { ref, headings } = found.passages[0] ?? { ref: '', headings: [] }
    const text = linesOf(found.document, found.lines)
    const coverage = coverageOf(asked, text, headings)
    if (coverage < MIN_COVERAGE) continue
    const score = decayingSum(raws, 3) * coverage * formFit(asked, text)
    const key = JSON.stringify([ref, headings])
    const group = groups.get(key) ?? { ref, headings, score: 0, units: [] }
    group.units.push({ ...found, score })
    groups.set(key, group)
  }
  const sections = [...groups.values()].map(trimSection)
  const best = Math.max(0, ...sections.map((s) => s.score))
  return sections
    .filter((s) => s.score >= best * SECTION_FLOOR)
    .sort(
      (a, b) => b.score - a.score || (a.ref < b.ref ? -1 : a.ref > b.ref ? 1 : firstLine(a) - firstLine(b)),
    )
    .slice(0, max)
}

const firstLine = (s: ChosenSection) => s.units[0]?.lines.from ?? 0

/** The best number plus the next ones, each divided by `divisor` once more than the one before. */
const decayingSum = (numbers: readonly number[], divisor: number) =>
  [...numbers].sort((a, b) => b - a).reduce((sum, n, i) => sum + n / divisor ** i, 0)

function trimSection(group: ChosenSection): ChosenSection {
  const best = Math.max(...group.units.map((u) => u.score))
  const units = group.units
    .filter((u) => u.score >= best * UNIT_FLOOR)
    .sort((a, b) => b.score - a.score || a.lines.from - b.lines.from)
    .slice(0, UNITS_PER_SECTION)
    .map((u) => ({ ...u, passages: [...u.passages].sort(inOrder) }))
    .sort((a, b) => a.lines.from - b.lines.from)
  return {
    ...group,
    score: decayingSum(
      units.map((u) => u.score),
      4,
    ),
    units,
  }
}
