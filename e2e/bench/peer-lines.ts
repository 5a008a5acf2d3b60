/** What the peers' bench prints: JSON lines, one a row of its table, among other text. */
import { z } from 'zod'

const peerLine = z.object({
  row: z.string(),
  ok: z.boolean(),
  faults: z.array(z.string()),
  metrics: z.record(z.string(), z.object({ median: z.number() })),
})

export type PeerFigures = { drain: number; enqueue: number; start50: number; start99: number }

/** The figures of each row; throws when a row was faulty or is not there. */
export function peerFigures(output: string, rows: readonly string[]): Map<string, PeerFigures> {
  const lines = output.split('\n').flatMap((line) => {
    const parsed = peerLine.safeParse(jsonOf(line))
    return parsed.success ? [parsed.data] : []
  })
  return new Map(
    rows.map((row) => {
      const found = lines.find((line) => line.row === row)
      if (!found?.ok) throw new Error(`${row}: ${found ? found.faults.join('; ') : 'no figures'}`)
      const of = (name: string) => found.metrics[name]?.median ?? Number.NaN
      const start = { start50: of('start_p50_ms'), start99: of('start_p99_ms') }
      return [row, { drain: of('drain_per_s'), enqueue: of('enqueue_per_s'), ...start }] as const
    }),
  )
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}
