import type { Caller } from '#domain/authority/caller.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { type Identified, identify } from '#server/auth/identify.ts'
import { factsOf, type RequestFacts } from '#server/auth/request-facts.ts'
import type { Services } from '#server/composition/services.ts'

/** What a procedure gets. `request` is null when the server itself calls (server components, tests). */
export type Context = {
  services: Services
  caller: Caller
  correlationId: string
  steppedUp: boolean
  /** What every guarded procedure answers to this caller: an ended session, a consent that is missing. */
  refusal: Refusal | null
  byCookie: boolean
  request: RequestFacts | null
  /** Headers of the answer. */
  headers: Headers
  /** One request counts once against its limit, however many calls it batches. */
  counted: Promise<Refusal | null> | null
}

/** The context of an HTTP request. */
export async function requestContext(services: Services, request: Request): Promise<Context> {
  const facts = factsOf(request, 'trpc', services.env.TRUSTED_PROXIES)
  return contextOf(services, await identify(services, facts), facts)
}

/** The context of a caller that is known already; for server components, and for tests by `callerFor`. */
export function contextOf(services: Services, who: Identified, facts: RequestFacts | null): Context {
  const correlationId = facts?.correlationId ?? who.caller.correlationId ?? crypto.randomUUID()
  return {
    services,
    caller: { ...who.caller, correlationId },
    correlationId,
    steppedUp: who.steppedUp,
    refusal: who.refusal,
    byCookie: who.byCookie,
    request: facts,
    headers: new Headers({ 'x-correlation-id': correlationId, 'cache-control': 'no-store' }),
    counted: null,
  }
}
