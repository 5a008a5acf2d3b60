/** Figures as a person reads them: one line a figure, what it consists of below it. */
import { type Aim, isMet, type Report, type Row } from './figures.ts'
import { rounded } from './statistics.ts'

/** A table as text: columns as wide as their widest cell. */
export function textTable(head: readonly string[], lines: readonly (readonly string[])[]): string[] {
  const widths = head.map((cell, n) => Math.max(cell.length, ...lines.map((line) => line[n]?.length ?? 0)))
  const draw = (cells: readonly string[]) =>
    `| ${cells.map((cell, n) => cell.padEnd(widths[n] ?? 0)).join(' | ')} |`
  return [draw(head), draw(widths.map((width) => '-'.repeat(width))), ...lines.map(draw)]
}

export const aimText = (wanted: Aim | null): string =>
  wanted === null ? '' : 'most' in wanted ? `≤ ${wanted.most}` : `≥ ${wanted.least}`

export function valueText({ value, values, unit }: Pick<Row, 'value' | 'values' | 'unit'>): string {
  const range = values.length > 1 ? ` (${rounded(value.min)}–${rounded(value.max)})` : ''
  return `${rounded(value.median)}${range} ${unit}`.trim()
}

const metText = ({ aim, value }: Row): string => (aim === null ? '' : isMet(value.median, aim) ? 'yes' : 'no')

const breakdownText = ({ breakdown }: Row): string =>
  breakdown
    ? `${Object.entries(breakdown.parts)
        .map(([part, value]) => `${part} ${value}`)
        .join(' · ')} ${breakdown.unit}`
    : ''

/** The whole report: the machine, a table for each programme, and the breakdowns. */
export function reportText({ date, commit, machine, load, rows }: Report): string[] {
  const programmes = [...new Set(rows.map(({ programme }) => programme))]
  return [
    `${date}, ${commit}; ${machine.cores} × ${machine.processor}, ${machine.memory_gb} GB, Node ${machine.node}, ${machine.postgresql}, Linux ${machine.kernel}`,
    `load before ${load.before.join(' ')}, after ${load.after.join(' ')}`,
    ...programmes.flatMap((programme) => programmeText(rows.filter((one) => one.programme === programme))),
  ]
}

function programmeText(rows: readonly Row[]): string[] {
  const lines = rows.map((one) => [one.figure, valueText(one), aimText(one.aim), metText(one)])
  const parts = rows.flatMap((one) => (one.breakdown ? [`  ${one.figure}: ${breakdownText(one)}`] : []))
  const head = [rows[0]?.programme ?? '', 'median (min–max)', 'aim', 'met']
  return ['', ...textTable(head, lines), ...parts]
}
