import { ok } from '#domain/kernel/result.ts'
import { factsOf } from '#server/auth/request-facts.ts'
import type { Face } from '#server/gate/face.ts'
import { type Answer, type Gated, pass } from '#server/gate/gate.ts'
import { arrive, bearerOf } from '#server/gate/visit.ts'
import type { Services } from '#server/services.ts'
import { refusalResponse } from './answer.ts'
import { readInput } from './read-input.ts'
import type { Route } from './route.ts'

/** One REST request through the gate and back. Never throws. */
export async function serveRoute(
  route: Route,
  services: Services,
  { request, params, face }: { request: Request; params: Record<string, string>; face: Face },
): Promise<Response> {
  const endpoint = `${route.method.toUpperCase()} ${route.path}`
  const wire = { trustedProxies: services.env.TRUSTED_PROXIES, ids: face.requestIds }
  const facts = factsOf(request, endpoint, wire)
  const visit = await arrive(services, facts, route.policy, face)
  const { headers } = visit
  let bytes: Uint8Array = new Uint8Array()
  const read = async () => {
    const sent = await readInput(route, request, params, face)
    if (!sent.ok) return sent
    bytes = sent.value.bytes
    const fingerprint = () => `${new URL(request.url).pathname}\n${Buffer.from(bytes).toString()}`
    return ok({ value: sent.value.value, fingerprint })
  }
  const run: Gated['run'] = (ctx, input) =>
    route.run({ ...ctx, request, bytes, headers, bearer: bearerOf(facts) }, input)
  const idempotencyKey = request.headers.get('idempotency-key') ?? undefined
  const outcome = await pass({ ...route, run }, visit, { endpoint, read, idempotencyKey })
  return outcome.ok ? respond(outcome.value, headers) : refusalResponse(outcome.refusal, visit)
}

function respond(answer: Answer, headers: Headers): Response {
  if (answer instanceof Response) {
    // A route that answers by itself still gives the headers of every answer; its own win.
    for (const [name, value] of headers) if (!answer.headers.has(name)) answer.headers.set(name, value)
    return answer
  }
  const { status, value, replayed } = answer
  if (replayed) headers.set('idempotent-replay', 'true')
  if (status === 204) return new Response(null, { status, headers })
  headers.set('content-type', 'application/json; charset=utf-8')
  return new Response(JSON.stringify(value), { status, headers })
}
