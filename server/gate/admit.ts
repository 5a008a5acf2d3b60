import type { Refusal } from '#domain/kernel/errors.ts'
import { refusalFor, STEP_UP_REQUIRED } from '#server/auth/authorize.ts'
import { rateHeaders } from '#server/auth/rate-limits.ts'
import { requestGuards } from '#server/auth/request-guards.ts'
import { foreignOrigin } from '#server/auth/same-origin.ts'
import type { Kind, Policy } from '#server/operations/operation.ts'
import type { Visit } from './visit.ts'

/** Whether the visit may go on to its input: CSRF rule, rate limit, right, step-up, in this order. */
export async function admit(
  { kind, policy }: { kind: Kind; policy: Policy | undefined },
  visit: Visit,
): Promise<Refusal | null> {
  if (visit.barred) return visit.barred
  if (!policy) return { code: 'FORBIDDEN', message: 'This operation has no policy.' }
  const open = 'open' in policy ? policy : null
  const checksOrigin = visit.byCookie || open?.fromConsole === true
  const foreign = visit.request && checksOrigin && foreignOrigin(visit.request, visit.services.env)
  if (foreign) return foreign
  if (open?.uncounted) return null
  // A machine is held by its key, not by a rate; a wrong one says no more, however often it comes.
  if ('key' in policy) return visit.refusal
  const withKey = 'action' in policy && policy.uncounted && !isPerson(visit)
  return (withKey ? null : await count(visit, kind)) ?? rightTo(policy, visit, kind)
}

const isPerson = ({ caller: { role } }: Visit): boolean => role !== 'service' && role !== 'node'

function rightTo(policy: Exclude<Policy, { key: string }>, visit: Visit, kind: Kind): Refusal | null {
  if ('open' in policy) return null
  if (visit.refusal) return visit.refusal
  const forbidden = refusalFor(visit.caller, policy.action, kind === 'read')
  if (forbidden) return forbidden
  return policy.stepUp && !visit.steppedUp ? STEP_UP_REQUIRED : null
}

function count(visit: Visit, kind: Kind): Promise<Refusal | null> {
  visit.counted ??= countRequest(visit, kind)
  return visit.counted
}

async function countRequest(
  { services, caller, request, headers, face }: Visit,
  kind: Kind,
): Promise<Refusal | null> {
  if (!request) return null
  const { limits } = requestGuards(services)
  const counts = kind === 'read' ? 'read' : 'change'
  const admission = face.limit
    ? await limits.admitTo(face.limit, services.env, caller, request.address, Date.now())
    : await limits.admit(services.env, caller, request.address, counts, Date.now())
  for (const [name, value] of Object.entries(rateHeaders(admission))) headers.set(name, value)
  if (admission.allowed) return null
  const message = 'Too many requests. Wait a little.'
  return { code: 'RATE_LIMITED', message, retryAfter: admission.resetSeconds }
}
