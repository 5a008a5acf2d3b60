import type { DashboardMetrics, DashboardRequest } from '#contracts/dashboard.contract.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { ledgerNow } from '#server/ledger/clock.ts'
import { declarationOf, type MetricName } from '#server/metrics/catalogue.ts'
import { readPoints, type Track, type Window, windowOf } from '#server/metrics/points.query.ts'
import type { Step } from '#server/metrics/points.ts'
import { recordedSteps, samplesOf } from '#server/metrics/series.rules.ts'
import type { Services } from '#server/services.ts'
import { anySeries, JOB_SERIES, jobSeries, RECORDED } from './job-series.ts'
import { queueNow } from './queue-now.query.ts'
import { jobsNow, standingIncidents } from './standing-now.query.ts'

export const WINDOWS = {
  '1h': { step: 60, length: 60 },
  '24h': { step: 60, length: 1_440 },
  '7d': { step: 900, length: 672 },
} as const satisfies Record<DashboardRequest['window'], { step: Step; length: number }>

/** The metrics of a window as series, and how the queue stands now [dashboard#how-it-works]. `moment` is the ledger's clock by default. */
export async function getDashboardMetrics(
  { db }: Pick<Services, 'db'>,
  request: DashboardRequest,
  moment?: Date,
): Promise<Result<DashboardMetrics>> {
  const names = (request.series?.split(',') ?? []).filter(Boolean)
  const unknown = names.filter((name) => !declarationOf(name))
  if (unknown.length > 0) return unknownSeries(unknown)
  const now = moment ?? (await ledgerNow(db))
  const { step, length } = WINDOWS[request.window]
  const window = windowOf(now, step, length)
  const asked = names as MetricName[]
  const [tracks, queues, standing, incidents] = await Promise.all([
    readPoints(db, window, [...new Set([...JOB_SERIES, ...asked])]),
    queueNow(db, request),
    jobsNow(db, request),
    standingIncidents(db),
  ])
  const samples = samplesOf(
    length,
    tracks.filter(({ name }) => name === RECORDED),
  )
  const own = tracks.filter((track) => isAsked(track, request))
  const { extensions, expired, died, ...jobs } = jobSeries(own, queues, samples)
  return ok({
    window: request.window,
    ...jobs,
    leases: { active: standing.leases, extensions, expired },
    incidents,
    dead: { now: standing.dead, added: died },
    series: asked.flatMap((name) => anySeries(name, own, samples)),
    meta: { ...metaOf(window, now), recorded: recordedSteps(samples) },
  })
}

/** A series without the label speaks of all tenants, or of all types. */
function isAsked({ labels }: Track, { tenant, jobType }: DashboardRequest): boolean {
  const fits = (label: string | undefined, asked: string | undefined) => !asked || !label || label === asked
  return fits(labels.tenant, tenant) && fits(labels.jobType, jobType)
}

const metaOf = ({ step, from, to }: Window, now: Date): Omit<DashboardMetrics['meta'], 'recorded'> => ({
  generated_at: now.toISOString(),
  from: from.toISOString(),
  to: to.toISOString(),
  step_seconds: step,
})

const unknownSeries = (names: readonly string[]) =>
  refuse({
    code: 'VALIDATION_FAILED',
    message: 'Some fields are not valid.',
    details: [{ field: 'series', message: `there is no metric ${names.join(', ')}` }],
  })
