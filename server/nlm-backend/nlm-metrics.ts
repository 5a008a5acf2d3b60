import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { WorkEvent } from './work-queue.ts'

/** Metrics of the NotebookLM Backend: names begin with `nlm_`, no ids as labels. */
export type NlmMetrics = {
  registry: Registry
  observe: (event: WorkEvent) => void
  request: (route: string, status: number) => void
}

export function createNlmMetrics(depth: () => number): NlmMetrics {
  const registry = new Registry()
  const registers = [registry]
  const jobs = new Counter({
    name: 'nlm_jobs_total',
    help: 'Jobs that ended',
    labelNames: ['state', 'code'],
    registers,
  })
  const phases = new Histogram({
    name: 'nlm_phase_seconds',
    help: 'Time of the phases of jobs that ended',
    labelNames: ['phase'],
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10, 30, 60],
    registers,
  })
  const callbacks = new Counter({
    name: 'nlm_callbacks_total',
    help: 'Callbacks',
    labelNames: ['outcome'],
    registers,
  })
  const requests = new Counter({
    name: 'nlm_http_requests_total',
    help: 'Requests',
    labelNames: ['route', 'status'],
    registers,
  })
  new Gauge({
    name: 'nlm_queue_depth',
    help: 'Jobs that wait for the engine or are being delivered',
    registers,
    collect() {
      this.set(depth())
    },
  })
  return {
    registry,
    request: (route, status) => requests.inc({ route, status }),
    observe: (event) => {
      if (event.kind === 'callback') callbacks.inc({ outcome: event.delivered ? 'delivered' : 'undelivered' })
      if (event.kind !== 'settled') return
      jobs.inc({ state: event.state, code: event.code ?? 'none' })
      for (const [phase, ms] of Object.entries(event.phaseMs)) phases.observe({ phase }, ms / 1000)
    },
  }
}
