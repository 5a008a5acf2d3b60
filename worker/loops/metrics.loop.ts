import { COUNT_BATCH, countEvents } from '#server/metrics/count-events.ts'
import { flushMeter } from '#server/metrics/totals.ts'
import type { Services } from '#server/services.ts'
import { recordGauges } from '#server/system/record-gauges.ts'
import type { Loop } from './loop.ts'

const EVERY_MS = 2_000

/** Counts sealed events, and adds what this worker has measured to the totals of the installation, every 2 s [metrics#events]. */
export function metricsLoop({ db }: Pick<Services, 'db'>): Loop {
  return {
    name: 'metrics',
    everyMs: EVERY_MS,
    async tick() {
      await flushMeter(db)
      return (await countEvents(db)) === COUNT_BATCH ? 'again' : 'idle'
    },
  }
}

const SAMPLE_MS = 15_000

/** Records how things stand, once a minute for all workers [metrics#series]. */
export function metricSeriesLoop(services: Pick<Services, 'db' | 'env'>): Loop {
  return {
    name: 'metric-series',
    everyMs: SAMPLE_MS,
    async tick() {
      await recordGauges(services)
      return 'idle'
    },
  }
}
