import { httpStatus } from '#domain/kernel/errors.ts'
import type { Result } from '#domain/kernel/result.ts'
import type { Answer, Gated } from './gate.ts'
import type { Visit } from './visit.ts'

/**
 * One line for each call that came over a wire: route template, never the address as it was sent, which has ids and a query. What the
 * server asks itself while it renders a page belongs to the request of that page and writes none.
 */
export function logCall(gated: Gated, visit: Visit, endpoint: string, outcome: Result<Answer>): void {
  if (!visit.request) return
  const status = statusOf(outcome)
  const line = {
    ...addressOf(gated, endpoint),
    status,
    ms: Math.round(performance.now() - visit.arrivedAt),
    role: visit.caller.role,
    correlation_id: visit.correlationId,
    ...(outcome.ok ? {} : { code: outcome.refusal.code }),
  }
  const { log } = visit.services
  if (status >= 500) log.warn(line, 'request')
  else if (isProbe(gated) && status < 400) log.debug(line, 'request')
  else log.info(line, 'request')
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
