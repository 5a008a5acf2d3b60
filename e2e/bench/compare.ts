/** Two runs beside each other: what changed, by how much, and whether that is better. */
import type { Report, Row } from './figures.ts'
import { rounded } from './statistics.ts'
import { textTable, valueText } from './table.ts'

export type Verdict = 'better' | 'worse' | 'same' | 'within the spread' | 'only before' | 'only after'
export type Change = {
  programme: string
  figure: string
  before: Row | null
  after: Row | null
  /** Of the medians; null where there is nothing to divide by. */
  percent: number | null
  verdict: Verdict
}

/** Rates and ratios are to grow, everything else is a cost; an aim says it itself. */
const isMoreBetter = ({ aim, unit }: Row): boolean => (aim ? 'least' in aim : /\/s$|^×$|^of /.test(unit))

const keyOf = ({ programme, figure }: Row): string => `${programme}\n${figure}`

export function compareRows(before: readonly Row[], after: readonly Row[]): Change[] {
  const [old, now] = [before, after].map((rows) => new Map(rows.map((row) => [keyOf(row), row])))
  const keys = new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])])
  return [...keys].map((key) => changeOf(old?.get(key) ?? null, now?.get(key) ?? null))
}

function changeOf(before: Row | null, after: Row | null): Change {
  const { programme, figure } = (before ?? after) as Row
  const base = { programme, figure, before, after }
  if (!before || !after) return { ...base, percent: null, verdict: before ? 'only before' : 'only after' }
  const [from, to] = [before.value.median, after.value.median]
  const percent = from === 0 ? null : rounded((to / from - 1) * 100)
  return { ...base, percent, verdict: verdictOf(before, after) }
}

function verdictOf(before: Row, after: Row): Verdict {
  const [from, to] = [before.value.median, after.value.median]
  if (from === to) return 'same'
  if (holds(before, to) && holds(after, from)) return 'within the spread'
  return to > from === isMoreBetter(after) ? 'better' : 'worse'
}

/** Whether another median is one that this row has had in its rounds, too. */
const holds = ({ value, values }: Row, median: number): boolean =>
  values.length > 1 && value.min <= median && median <= value.max

export function comparisonText(before: Report, after: Report): string[] {
  const changes = compareRows(before.rows, after.rows)
  const percentText = (percent: number | null) =>
    percent === null ? '' : `${percent > 0 ? '+' : ''}${percent} %`
  const lines = changes.map((one) => [
    `${one.programme}: ${one.figure}`,
    one.before ? valueText(one.before) : '',
    one.after ? valueText(one.after) : '',
    percentText(one.percent),
    one.verdict,
  ])
  const whole = ({ date, commit, load }: Report) =>
    `${date}, ${commit}, load ${load.before[0]}–${load.after[0]}`
  return [
    `before: ${whole(before)}`,
    `after:  ${whole(after)}`,
    '',
    ...textTable(['figure', 'before', 'after', 'change', ''], lines),
  ]
}
