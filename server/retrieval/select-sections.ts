import { type IndexDocument, type Lines, linesOf } from './document-lines.ts'
import type { Passage } from './passages.ts'
import { type Notion, notionsOf, RELATED_WEIGHT, speaksOf, stemsOf } from './question.ts'
import { countPassages, inOrder, type SearchIndex, searchTerms } from './search-index.ts'

/**
 * Which parts of the notes answer a question, gathered under the headings of their notes.
 *
 * The unit is a list, table or paragraph that is short enough to be read as a whole, else a single item, row or paragraph. Its worth is
 * the BM25 of its best passage and, less, of its next ones, scaled by how much of the question it speaks of itself (headings count
 * less): ten mentions of one word are no answer to a question of three notions. A section is worth its best unit and, less, its next ones.
 */
export type Unit = { document: IndexDocument; lines: Lines; head?: Lines; passages: Passage[]; worth: number }
export type ChosenSection = { ref: string; headings: string[]; worth: number; units: Unit[] }

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
export function formFit(asked: AskedQuestion, text: string): number {
  const lines = text.split('\n').filter((l) => l.trim() !== '')
  if (lines.filter((l) => LINK_LINE.test(l)).length * 2 >= lines.length) return LINKS_SHARE
  if (!asked.conditional) return 1
  const cells = [...text.matchAll(/^\s*\|\s*(\S)/gmu)].map((m) => m[1])
  if (cells.filter((c) => c === '`').length * 2 > cells.length) return NAMES_TABLE_SHARE
  return CONDITION.test(text) ? CONDITION_BONUS : 1
}

/** A question taken apart: its notions, how rare each is among the passages, and whether it asks what follows from something. */
export type AskedQuestion = { notions: readonly Notion[]; weights: readonly number[]; conditional: boolean }

/** Takes a question apart against the notes that shall answer it. */
export function askOf(index: SearchIndex, query: string): AskedQuestion {
  const notions = notionsOf(query)
  return { notions, weights: notionWeights(index, notions), conditional: ASKS_FOR_CONDITION.test(query) }
}

function notionWeights(index: SearchIndex, notions: readonly Notion[]): number[] {
  return notions.map((n) => {
    const found = countPassages(index, [...n.own, ...n.related])
    return Math.log(1 + index.passages.length / (1 + found))
  })
}

/** The part of the question, by weight, that a text speaks of; what only its headings name counts less. */
export function coverageOf(asked: AskedQuestion, text: string, headings: readonly string[] = []): number {
  const [inside, above] = [stemsOf(text), stemsOf(headings.join('\n'))]
  const total = asked.weights.reduce((sum, w) => sum + w, 0)
  const covered = asked.notions.reduce((sum, notion, i) => {
    const share = speaksOf(notion, inside) ? 1 : speaksOf(notion, above) ? HEADING_SHARE : 0
    return sum + share * (asked.weights[i] ?? 0)
  }, 0)
  return total === 0 ? 0 : covered / total
}

/** A drawing or a program is no prose; a plain fence without either is often an algorithm written in words. */
function isProse(passage: Passage): boolean {
  if (passage.kind !== 'code') return true
  return /^\s*(```|~~~)\s*(text|txt)?\s*\n/u.test(passage.text) && !/[\u2500-\u257F{}]/u.test(passage.text)
}

type Found = Omit<Unit, 'worth'> & { raws: number[] }

function foundUnits(index: SearchIndex, notions: readonly Notion[]): Found[] {
  const weighted = notions.flatMap((n) => [
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
export function selectSections(index: SearchIndex, asked: AskedQuestion, max: number): ChosenSection[] {
  const groups = new Map<string, ChosenSection>()
  for (const { raws, ...found } of foundUnits(index, asked.notions)) {
    const { ref, headings } = found.passages[0] ?? { ref: '', headings: [] }
    const text = linesOf(found.document, found.lines)
    const coverage = coverageOf(asked, text, headings)
    if (coverage < MIN_COVERAGE) continue
    const worth = fading(raws, 3) * coverage * formFit(asked, text)
    const key = JSON.stringify([ref, headings])
    const group = groups.get(key) ?? { ref, headings, worth: 0, units: [] }
    group.units.push({ ...found, worth })
    groups.set(key, group)
  }
  const sections = [...groups.values()].map(trimmed)
  const best = Math.max(0, ...sections.map((s) => s.worth))
  return sections
    .filter((s) => s.worth >= best * SECTION_FLOOR)
    .sort(
      (a, b) => b.worth - a.worth || (a.ref < b.ref ? -1 : a.ref > b.ref ? 1 : firstLine(a) - firstLine(b)),
    )
    .slice(0, max)
}

const firstLine = (s: ChosenSection) => s.units[0]?.lines.from ?? 0

/** The best number, and the next ones each worth a `divisor`-th of the one before. */
const fading = (numbers: readonly number[], divisor: number) =>
  [...numbers].sort((a, b) => b - a).reduce((sum, n, i) => sum + n / divisor ** i, 0)

function trimmed(group: ChosenSection): ChosenSection {
  const best = Math.max(...group.units.map((u) => u.worth))
  const units = group.units
    .filter((u) => u.worth >= best * UNIT_FLOOR)
    .sort((a, b) => b.worth - a.worth || a.lines.from - b.lines.from)
    .slice(0, UNITS_PER_SECTION)
    .map((u) => ({ ...u, passages: [...u.passages].sort(inOrder) }))
    .sort((a, b) => a.lines.from - b.lines.from)
  return {
    ...group,
    worth: fading(
      units.map((u) => u.worth),
      4,
    ),
    units,
  }
}
