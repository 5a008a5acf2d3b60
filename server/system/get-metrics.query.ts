import { reading, render } from '#server/metrics/render.ts'
import { flushMeter, readTotals } from '#server/metrics/totals.ts'
import { type GaugeParts, readGauges } from './read-gauges.query.ts'

/**
 * `/metrics` in Prometheus text [system#metrics]: how things stand, read at this scrape, and the totals of the whole installation. What this
 * process has measured is added to the totals first.
 */
export async function getMetrics(parts: Scraped): Promise<string> {
  await flushMeter(parts.db)
  const streams = parts.streams().map(({ kind, n }) => reading('garden_stream_clients', { kind }, n))
  return render([...(await readGauges(parts)), ...streams], await readTotals(parts.db))
}

type Scraped = GaugeParts & {
  /** The open event streams of this process, by the role of their readers. */
  streams(): readonly { kind: string; n: number }[]
}
