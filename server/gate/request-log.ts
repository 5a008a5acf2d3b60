import { httpStatus } from '#domain/kernel/errors.ts'
import type { Result } from '#domain/kernel/result.ts'
import type { LabelsOf } from '#server/metrics/catalogue.ts'
import { count, observe } from '#server/metrics/meter.ts'
import type { Answer, Gated } from './gate.ts'
import type { Visit } from './visit.ts'

const NOT_READY = 503

/**
 * One line for each call that came over a wire: route template, never the address as it was sent, which has ids and a query. What the
 * server asks itself while it renders a page belongs to the request of that page and writes none.
 */
export function logCall(gated: Gated, visit: Visit, endpoint: string, outcome: Result<Answer>): void {
  if (!visit.request) return
  const status = statusOf(outcome)
  const address = addressOf(gated, endpoint)
  const seconds = (performance.now() - visit.arrivedAt) / 1000
  measureCall({ ...address, code: String(status) }, seconds, visit, outcome)
  const line = {
    ...address,
    status,
    ms: Math.round(seconds * 1000),
    role: visit.caller.role,
    correlation_id: visit.correlationId,
    ...(outcome.ok ? {} : { code: outcome.refusal.code }),
  }
  const { log } = visit.services
  // "Not ready" is what a probe asks for, as each start does until it is; whoever is down says so itself.
  const expected = isProbe(gated) && (status < 400 || status === NOT_READY)
  if (expected) log.debug(line, 'request')
  else if (status >= 500) log.warn(line, 'request')
  else log.info(line, 'request')
}

/** [system#metrics]: every call that was logged is counted, probes and scrapes included. */
function measureCall(
  labels: LabelsOf<'garden_http_seconds'>,
  seconds: number,
  { caller: { role } }: Visit,
  outcome: Result<Answer>,
): void {
  count('garden_http_requests_total', labels)
  observe('garden_http_seconds', labels, seconds)
  if (outcome.ok) return
  count('garden_refusals_total', { role })
  if (outcome.refusal.code === 'RATE_LIMITED') count('garden_rate_limited_total', { role })
}

function statusOf(outcome: Result<Answer>): number {
  return outcome.ok ? outcome.value.status : httpStatus(outcome.refusal.code)
}

/** `GET /api/v1/jobs/{id}` and `trpc jobs.get` as method and route. */
function addressOf({ kind }: Gated, endpoint: string): { method: string; route: string } {
  const [first = '', rest = ''] = endpoint.split(' ')
  if (first !== 'trpc') return { method: first, route: rest }
  return { method: kind === 'read' ? 'GET' : 'POST', route: `/api/trpc/${rest}` }
}

/** What a load balancer asks every few seconds. */
const isProbe = ({ policy }: Gated): boolean => 'open' in policy && policy.uncounted === true
