/**
 * Figures and where they are collected: a programme adds each of its figures once a round, and what was added under the same name are the
 * measurements of one row. A row is what the table prints, what the file keeps and what is compared; its shape is read from a file by `report`.
 */
import { z } from 'zod'
import { rounded, spreadOf } from './statistics.ts'

/** What is wanted: at most or at least so much. It is printed and nothing depends on it. */
export const aim = z.union([z.object({ most: z.number() }), z.object({ least: z.number() })])
/** What a figure consists of, in a unit of its own. */
export const breakdown = z.object({ unit: z.string(), parts: z.record(z.string(), z.number()) })
const spread = z.object({ median: z.number(), min: z.number(), max: z.number() })

export const row = z.object({
  programme: z.string(),
  figure: z.string(),
  value: spread,
  values: z.array(z.number()).min(1),
  unit: z.string(),
  aim: aim.nullable(),
  breakdown: breakdown.optional(),
})

const load = z.array(z.number())
export const report = z.object({
  date: z.string(),
  commit: z.string(),
  machine: z.object({
    cores: z.number(),
    processor: z.string(),
    memory_gb: z.number(),
    node: z.string(),
    postgresql: z.string(),
    kernel: z.string(),
  }),
  load: z.object({ before: load, after: load }),
  rows: z.array(row),
})

export type Aim = z.infer<typeof aim>
export type Breakdown = z.infer<typeof breakdown>
export type Row = z.infer<typeof row>
export type Report = z.infer<typeof report>

export type Kind = { unit: string; aim?: Aim | undefined; breakdown?: Breakdown | undefined }

/** What a programme writes to. */
export type Figures = {
  /** One measurement; one that has no value (nothing was there to be measured) is told and left out. */
  add(figure: string, value: number, kind: Kind): void
  /** How far it has come, and what is known besides. */
  note(text: string): void
}

export type Collected = {
  of(programme: string): Figures
  rows(): Row[]
}

type Added = { programme: string; figure: string; kind: Kind; values: number[]; breakdowns: Breakdown[] }

/** Collects the figures of a whole run, in the order of their first appearance; `say` prints a line. */
export function collectFigures(say: (line: string) => void): Collected {
  const all = new Map<string, Added>()
  return {
    of: (programme) => ({
      note: (text) => say(`${programme}: ${text}`),
      add(figure, value, kind) {
        if (!Number.isFinite(value)) return say(`${programme}: ${figure}: nothing was measured`)
        say(`${programme}: ${figure}: ${rounded(value)} ${kind.unit}`)
        const key = `${programme}\n${figure}`
        const added = all.get(key) ?? { programme, figure, kind, values: [], breakdowns: [] }
        added.values.push(rounded(value))
        if (kind.breakdown) added.breakdowns.push(kind.breakdown)
        all.set(key, added)
      },
    }),
    rows: () => [...all.values()].map(rowOf),
  }
}

function rowOf({ programme, figure, kind, values, breakdowns }: Added): Row {
  const one = { programme, figure, value: spreadOf(values), values, unit: kind.unit, aim: kind.aim ?? null }
  const parts = middleOf(breakdowns)
  return parts ? { ...one, breakdown: parts } : one
}

/** Of several rounds, the median of each part. */
function middleOf(breakdowns: readonly Breakdown[]): Breakdown | null {
  const [first] = breakdowns
  if (!first) return null
  const parts = Object.keys(first.parts).flatMap((part) => {
    const values = breakdowns.flatMap((one) => one.parts[part] ?? []).filter(Number.isFinite)
    return values.length > 0 ? [[part, rounded(spreadOf(values).median)] as const] : []
  })
  return parts.length > 0 ? { unit: first.unit, parts: Object.fromEntries(parts) } : null
}

export const isMet = (value: number, wanted: Aim): boolean =>
  'most' in wanted ? value <= wanted.most : value >= wanted.least
