/**
 * What this process measures itself: requests, searches, writes to the store. It is kept in memory as differences and added to the ledger's
 * totals every few seconds (flush-meter.ts), so that a scrape of any web process shows the whole installation, workers included, and a
 * restart loses a few seconds at most. One meter a process: it is counted into from everywhere.
 */
import { processWide } from '#domain/kernel/process-wide.ts'
import {
  bucketOf,
  type CounterName,
  type HistogramName,
  type LabelsOf,
  type MetricName,
} from './catalogue.ts'

/** A difference to one row of `metric_total`. */
export type Total = {
  name: MetricName
  labels: Readonly<Record<string, string>>
  le: number
  count: number
  sum: number
  /** When it happened, where that is known: what a process measures happens now. */
  at?: Date
}

export class Meter {
  #totals = new Map<string, Total>()

  add(total: Total): void {
    const key = JSON.stringify([total.name, total.labels, String(total.le), total.at?.getTime()])
    const known = this.#totals.get(key)
    if (!known) this.#totals.set(key, { ...total })
    else {
      known.count += total.count
      known.sum += total.sum
    }
  }

  /** What has come together since the last time; the meter begins anew. */
  take(): Total[] {
    const taken = [...this.#totals.values()]
    this.#totals = new Map()
    return taken
  }
}

export const processMeter = (): Meter => processWide('meter', () => new Meter())

/** Counts one of these, or `by` many. */
export function count<N extends CounterName>(name: N, labels: LabelsOf<N>, by = 1): void {
  if (by > 0) processMeter().add({ name, labels, le: Number.POSITIVE_INFINITY, count: by, sum: by })
}

/** Records how long one of these took. */
export function observe<N extends HistogramName>(name: N, labels: LabelsOf<N>, seconds: number): void {
  processMeter().add({ name, labels, le: bucketOf(name, seconds), count: 1, sum: seconds })
}

/** Does something at once and records how long it took. */
export function measure<N extends HistogramName, T>(name: N, labels: LabelsOf<N>, work: () => T): T {
  const begun = performance.now()
  const answer = work()
  observe(name, labels, (performance.now() - begun) / 1000)
  return answer
}

/** Does something and records how long it took, with its outcome; what is thrown is an `error`. */
export async function measureOutcome<T>(
  name: 'garden_artifact_write_seconds',
  succeeded: (answer: T) => boolean,
  work: () => Promise<T>,
): Promise<T> {
  const begun = performance.now()
  const end = (ok: boolean) =>
    observe(name, { outcome: ok ? 'ok' : 'error' }, (performance.now() - begun) / 1000)
  try {
    const answer = await work()
    end(succeeded(answer))
    return answer
  } catch (error) {
    end(false)
    throw error
  }
}
