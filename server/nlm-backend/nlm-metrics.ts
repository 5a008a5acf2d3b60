import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { JobType } from '#domain/job/job.rules.ts'
import type { WorkEvent } from './work-queue.ts'

/** Metrics of this process alone, from its start (contract 10 §3): names begin with `nlm_`, no ids as labels. */
export type NlmMetrics = {
  registry: Registry
  observe: (event: WorkEvent) => void
  request: (route: string, status: number) => void
}

/** Phases in which the engine works: what fails there is counted as its error. */
const ENGINE_PHASES = ['BUILDING_PROMPT', 'NLM_QUERY', 'STRUCTURING']

type Served = { depth: () => number; jobType: JobType; provider: string }

export function createNlmMetrics({ depth, jobType: type, provider }: Served): NlmMetrics {
  const registry = new Registry()
  const registers = [registry]
  const jobs = new Counter({
    name: 'nlm_jobs_total',
    help: 'Jobs that ended',
    labelNames: ['type', 'outcome'],
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
  const errors = new Counter({
    name: 'nlm_provider_errors_total',
    help: 'Jobs that failed in the engine',
    labelNames: ['provider'],
    registers,
  })
  errors.inc({ provider }, 0)
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
      const outcome = event.code === undefined ? 'ok' : event.code === 'CANCELLED' ? 'cancelled' : 'error'
      jobs.inc({ type, outcome })
      if (outcome === 'error' && ENGINE_PHASES.includes(event.phase)) errors.inc({ provider })
      for (const [phase, ms] of Object.entries(event.phaseMs)) phases.observe({ phase }, ms / 1000)
    },
  }
}
