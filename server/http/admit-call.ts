import { createHash, timingSafeEqual } from 'node:crypto'
import { NLM_BACKEND } from '#domain/authority/caller.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { refusalFor, STEP_UP_REQUIRED } from '#server/auth/authorize.ts'
import { gateOf } from '#server/auth/gate.ts'
import { type Identified, identify } from '#server/auth/identify.ts'
import type { Admission } from '#server/auth/rate-limits.ts'
import type { RequestFacts } from '#server/auth/request-facts.ts'
import { foreignOrigin } from '#server/auth/same-origin.ts'
import type { Services } from '#server/composition/services.ts'
import type { AnyRoute, RoutePolicy } from './route.ts'

const NO_KEY: Refusal = { code: 'AUTH_REQUIRED', message: 'The key is missing or wrong.' }
const UNCOUNTED: Admission = { allowed: true, limit: 0, remaining: 0, resetSeconds: 0 }

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Compares in constant time, whatever the lengths. */
export const sameSecret = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other))

/** The caller as this policy sees it: a session's for people, the component's for the product's own keys. */
export async function identifyFor(
  policy: RoutePolicy,
  services: Services,
  facts: RequestFacts,
): Promise<Identified> {
  if (!('key' in policy)) return identify(services, facts)
  const bearer = /^Bearer (\S{1,4096})$/i.exec(facts.headers.get('authorization') ?? '')?.[1]
  const missing = policy.key !== 'signed' && bearer === undefined
  const wrong = policy.key === 'callback' && !sameSecret(bearer ?? '', services.env.MEMBRIDGE_CALLBACK_TOKEN)
  return {
    caller: { ...NLM_BACKEND, via: 'api', correlationId: facts.correlationId },
    steppedUp: false,
    refusal: missing || wrong ? NO_KEY : null,
    byCookie: false,
  }
}

/** Whether the call may go on to its body: CSRF rule, rate limit, right, step-up, in this order. */
export async function admitCall(
  declared: AnyRoute,
  services: Services,
  facts: RequestFacts,
  who: Identified,
): Promise<{ refusal: Refusal | null; admission: Admission }> {
  const { policy } = declared
  const checksOrigin = who.byCookie || ('open' in policy && policy.fromConsole === true)
  const foreign = checksOrigin ? foreignOrigin(facts, services.env.PUBLIC_URL) : null
  if (foreign) return { refusal: foreign, admission: UNCOUNTED }
  const reads = declared.method === 'get'
  if ('open' in policy && policy.uncounted) return { refusal: null, admission: UNCOUNTED }
  const kind = reads ? 'read' : 'change'
  const { limits } = gateOf(services)
  const admission = await limits.admit(services.env, who.caller, facts.address, kind, Date.now())
  if (!admission.allowed) {
    const refusal: Refusal = {
      code: 'RATE_LIMITED',
      message: 'Too many requests. Wait a little.',
      retryAfter: admission.resetSeconds,
    }
    return { refusal, admission }
  }
  return { refusal: rightTo(policy, who, reads), admission }
}

function rightTo(policy: RoutePolicy, who: Identified, reads: boolean): Refusal | null {
  if ('open' in policy) return null
  if (who.refusal) return who.refusal
  if ('key' in policy) return null
  const forbidden = refusalFor(who.caller, policy.action, reads)
  if (forbidden) return forbidden
  return policy.stepUp && !who.steppedUp ? STEP_UP_REQUIRED : null
}
