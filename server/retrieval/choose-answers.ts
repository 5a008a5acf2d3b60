import { isFence, withoutMark } from '#server/garden/markdown-lines.ts'
import { dedent, type IndexDocument, linesOf } from './document-lines.ts'
import type { Passage } from './passages.ts'
import { type ChosenSection, coverageOf, formFit, type QuestionAnalysis } from './select-sections.ts'
import { foldSpace, sentencesOf } from './sentences.ts'

/** The best texts of the chosen sections, repeated on top of a brief: its summary and its conclusions. All verbatim. */
const ITEM_CHARS = 500
const ANSWER_FLOOR = 0.4
const SUMMARY_TEXTS = 3
const SUMMARY_CHARS = 900
const CONCLUSIONS = 4
const CONCLUSION_CHARS = 320

export type Answer = { text: string; score: number; order: number }

/** What can answer by itself: a list item as a whole, a table row under its head, a sentence of a paragraph. Fences cannot. */
export function answersOf(chosen: readonly ChosenSection[], asked: QuestionAnalysis): Answer[] {
  const found = chosen.flatMap(({ units }) =>
    units.flatMap((unit) =>
      unit.passages.flatMap((passage) =>
        answerTexts(unit.document, passage).map((text) => {
          const own = passage.kind === 'row' ? passage.text : text
          return { text, score: unit.score * coverageOf(asked, own) * formFit(asked, own) }
        }),
      ),
    ),
  )
  const best = Math.max(0, ...found.map((u) => u.score))
  return found
    .map((u, order) => ({ ...u, order }))
    .filter((u) => u.score > 0 && u.score >= best * ANSWER_FLOOR && standsAlone(u.text))
    .sort((a, b) => b.score - a.score || a.order - b.order)
}

const standsAlone = (text: string) => text.length >= 12 && text.length <= SUMMARY_CHARS && !text.endsWith(':')

function answerTexts(document: IndexDocument, passage: Passage): string[] {
  if (passage.text.split('\n').some(isFence)) return []
  if (passage.kind === 'row') {
    const fits = passage.head && passage.text.length <= ITEM_CHARS
    return fits ? [dedent(`${linesOf(document, passage.head ?? passage.lines)}\n${passage.text}`)] : []
  }
  const whole = passage.kind === 'item' && passage.text.length <= ITEM_CHARS
  return whole ? [dedent(withoutMark(dedent(passage.text)))] : sentencesOf(passage.text)
}

/** The best answers that fit above a brief. */
export function summaryOf(answers: readonly Answer[]): string[] {
  const out: string[] = []
  for (const { text } of answers) {
    const size = out.join('\n\n').length
    if (out.length === SUMMARY_TEXTS || (out.length > 0 && size + text.length > SUMMARY_CHARS)) break
    if (!repeats(out, text)) out.push(text)
  }
  return out
}

/** True when the text is said already, or when it is another row below the same table head. */
function repeats(said: readonly string[], text: string): boolean {
  const head = text.startsWith('|') ? text.split('\n')[0] : undefined
  return said.some(
    (s) => foldSpace(s).includes(foldSpace(text)) || (head !== undefined && s.split('\n')[0] === head),
  )
}

/** The next best answers that are short, and not said in the summary. */
export function conclusionsOf(answers: readonly Answer[], summary: readonly string[]): string[] {
  const said = summary.map(foldSpace)
  const out: string[] = []
  for (const { text } of answers) {
    const folded = foldSpace(text)
    if (out.length === CONCLUSIONS) break
    if (text.startsWith('|') || text.length > CONCLUSION_CHARS || said.some((s) => s.includes(folded)))
      continue
    said.push(folded)
    out.push(text)
  }
  return out
}
