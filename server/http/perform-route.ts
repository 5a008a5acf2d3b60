import { grantOf } from '#domain/authority/matrix.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { type Result, refuse } from '#domain/kernel/result.ts'
import { gateOf } from '#server/auth/gate.ts'
import {
  bodyDigest,
  IDEMPOTENCY_KEY,
  keep,
  type Reservation,
  release,
  reserve,
} from '#server/auth/idempotency.ts'
import type { Identified } from '#server/auth/identify.ts'
import { rateHeaders } from '#server/auth/rate-limits.ts'
import { refusalOf } from '#server/auth/refusal-of.ts'
import { factsOf, type RequestFacts } from '#server/auth/request-facts.ts'
import type { Services } from '#server/composition/services.ts'
import { guestServices } from '#server/zones/guest-services.ts'
import { admitCall, identifyFor } from './admit-call.ts'
import { baseHeaders, refusalResponse } from './answer.ts'
import { readInput } from './read-input.ts'
import type { AnyRoute, Call } from './route.ts'

type AnyCall = Call<unknown, unknown, unknown>
type Outcome = Result<unknown> | Response

/** One request through the gateway to its use-case and back. Never throws. */
export async function performRoute(
  declared: AnyRoute,
  services: Services,
  request: Request,
  params: Record<string, string>,
): Promise<Response> {
  const endpoint = `${declared.method.toUpperCase()} ${declared.path}`
  const facts = factsOf(request, endpoint, services.env.TRUSTED_PROXIES)
  const headers = baseHeaders(facts.correlationId)
  let who: Identified | null = null
  try {
    who = await identifyFor(declared.policy, services, facts)
    const admitted = await admitCall(declared, services, facts, who)
    for (const [name, value] of Object.entries(rateHeaders(admitted.admission))) headers.set(name, value)
    const outcome = admitted.refusal
      ? refuse(admitted.refusal)
      : await callUseCase(declared, services, request, params, facts, who, headers)
    return await answerOf(outcome, services, facts, who, headers)
  } catch (error) {
    const told = refusalOf(error)
    if (!told.expected)
      services.log.error({ err: error, endpoint, correlation_id: facts.correlationId }, 'request failed')
    return await answerOf(refuse(told.refusal), services, facts, who, headers)
  }
}

async function callUseCase(
  declared: AnyRoute,
  services: Services,
  request: Request,
  params: Record<string, string>,
  facts: RequestFacts,
  who: Identified,
  headers: Headers,
): Promise<Outcome> {
  const read = await readInput(declared, request, params)
  if (!read.ok) return read
  const call: AnyCall = {
    ...read.value,
    services: servicesFor(declared, services, who),
    caller: who.caller,
    request,
    bearer: /^Bearer (\S+)$/i.exec(facts.headers.get('authorization') ?? '')?.[1],
    idempotencyKey: facts.headers.get('idempotency-key') ?? undefined,
    correlationId: facts.correlationId,
    address: facts.address,
    steppedUp: who.steppedUp,
    refusal: who.refusal,
    answer: { status: declared.status ?? 200, headers },
  }
  const key = call.idempotencyKey
  if (key === undefined || declared.method === 'get' || who.caller.role === 'anonymous') {
    return finish(declared, call, await declared.handle(call as never))
  }
  if (!IDEMPOTENCY_KEY.test(key)) {
    return refuse({ code: 'BAD_REQUEST', message: 'An Idempotency-Key has 1 to 128 visible characters.' })
  }
  return onlyOnce(declared, call, {
    identity: who.caller.identity,
    key,
    endpoint: facts.endpoint,
    digest: digestOf(call),
  })
}

/** A guest that reads its part of the garden reads with a guest's rights in the ledger too. */
const servicesFor = ({ policy }: AnyRoute, services: Services, { caller }: Identified): Services =>
  caller.role === 'guest' && 'action' in policy && grantOf('guest', policy.action) === 'own'
    ? guestServices(services)
    : services

const digestOf = (call: AnyCall): string =>
  bodyDigest(Buffer.concat([Buffer.from(`${new URL(call.request.url).pathname}\n`), call.bytes]))

async function onlyOnce(declared: AnyRoute, call: AnyCall, reservation: Reservation): Promise<Outcome> {
  const { db } = call.services
  const reserved = await reserve(db, reservation)
  if (!reserved.ok) return reserved
  if (reserved.value) {
    call.answer.headers.set('idempotent-replay', 'true')
    return respond(reserved.value.status, reserved.value.answer, call.answer.headers)
  }
  try {
    const outcome = await declared.handle(call as never)
    if (outcome instanceof Response) await release(db, reservation)
    else if (outcome.ok) {
      await keep(db, reservation, { status: call.answer.status, answer: shaped(declared, outcome.value) })
    } else await release(db, reservation)
    return finish(declared, call, outcome)
  } catch (error) {
    await release(db, reservation)
    throw error
  }
}

const shaped = (declared: AnyRoute, value: unknown): unknown =>
  declared.response ? declared.response.parse(value) : value

function finish(declared: AnyRoute, call: AnyCall, outcome: Outcome): Outcome {
  if (outcome instanceof Response || !outcome.ok) return outcome
  return respond(call.answer.status, shaped(declared, outcome.value), call.answer.headers)
}

function respond(status: number, value: unknown, headers: Headers): Response {
  if (status === 204 || status === 304) return new Response(null, { status, headers })
  headers.set('content-type', 'application/json; charset=utf-8')
  return new Response(JSON.stringify(value), { status, headers })
}

async function answerOf(
  outcome: Outcome,
  services: Services,
  facts: RequestFacts,
  who: Identified | null,
  headers: Headers,
): Promise<Response> {
  if (outcome instanceof Response) return withHeaders(outcome, headers)
  const refusal: Refusal = outcome.ok
    ? { code: 'INTERNAL_ERROR', message: 'No answer was made.' }
    : outcome.refusal
  if (who) {
    const { address, endpoint } = facts
    await gateOf(services).refusals.record(services, { caller: who.caller, address, endpoint, refusal })
  }
  return refusalResponse(refusal, facts.correlationId, headers)
}

/** A handler that answers by itself still gives the headers of every answer; its own win. */
function withHeaders(response: Response, headers: Headers): Response {
  for (const [name, value] of headers) if (!response.headers.has(name)) response.headers.set(name, value)
  return response
}
