import {
  ANONYMOUS,
  type Caller,
  CONTROL_PLANE_ADMIN,
  MONITORING,
  NLM_BACKEND,
} from '#domain/authority/caller.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { ADMIN_HEADER, adminKeyRefusal, NO_ADMIN_KEY } from '#server/auth/admin-key.ts'
import { type Identified, identify } from '#server/auth/identify.ts'
import { keyInClear } from '#server/auth/key-in-clear.ts'
import type { Because } from '#server/auth/record-refusal.ts'
import { refusalOf } from '#server/auth/refusal-of.ts'
import type { RequestFacts } from '#server/auth/request-facts.ts'
import type { Env } from '#server/env.ts'
import { identifyMachineKey } from '#server/keys/identify-machine-key.ts'
import type { Policy } from '#server/operations/operation.ts'
import { identifyRuntimeCaller } from '#server/runtime/identify-runtime-caller.ts'
import type { Services } from '#server/services.ts'
import { sameSecret } from '#server/tokens/same-secret.ts'
import { type Face, PRODUCT_FACE } from './face.ts'

/** One request at the gate: who sends it and what its answer carries. A batch of operations is one visit. */
export type Visit = {
  services: Services
  caller: Caller
  correlationId: string
  steppedUp: boolean
  /** What every guarded operation answers to this caller: an ended session, a consent that is missing. */
  refusal: Refusal | null
  /** Why, for the audit alone. */
  because?: Because
  byCookie: boolean
  /** Null when the server itself calls (server components, tests): no origin to check, no rate to count. */
  request: RequestFacts | null
  face: Face
  /** Headers of the answer. */
  headers: Headers
  /** The caller could not be identified because something of ours failed; nothing passes, open operations neither. */
  barred: Refusal | null
  /** The rate limit's answer, once it was asked: one request counts once, however many operations it batches. */
  counted: Promise<Refusal | null> | null
  /** When it came, by the monotonic clock of this process. */
  arrivedAt: number
}

/** The visit of a caller that is known already. */
export function visitOf(
  services: Services,
  who: Identified,
  request: RequestFacts | null,
  face = PRODUCT_FACE,
): Visit {
  const correlationId = request?.correlationId ?? who.caller.correlationId ?? crypto.randomUUID()
  const headers = new Headers({
    [face.requestIds.header]: correlationId,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
  const caller = { ...who.caller, correlationId }
  const fresh = { barred: null, counted: null, arrivedAt: performance.now() }
  return { ...who, services, caller, correlationId, request, face, headers, ...fresh }
}

/** The visit of a request, its caller identified as this policy wants: by session, or by a machine key. Never throws. */
export async function arrive(
  services: Services,
  facts: RequestFacts,
  policy?: Policy,
  face = PRODUCT_FACE,
): Promise<Visit> {
  const arrivedAt = performance.now()
  try {
    const who = await whoCalls(services, facts, { policy, face })
    return { ...visitOf(services, who, facts, face), arrivedAt }
  } catch (error) {
    const { refusal, expected } = refusalOf(error)
    const { endpoint, correlationId } = facts
    if (!expected) services.log.error({ err: error, endpoint, correlation_id: correlationId }, 'no caller')
    return { ...visitOf(services, NOBODY, facts, face), barred: refusal }
  }
}

async function whoCalls(
  services: Services,
  facts: RequestFacts,
  { policy, face }: { policy: Policy | undefined; face: Face },
): Promise<Identified> {
  if (policy && 'key' in policy) {
    if (policy.key === 'admin-or-node' && sendsNodeKey(facts)) return byNodeKey(services, facts)
    return byKey(policy.key, services.env, facts)
  }
  if (face.callers === 'machines') return NOBODY
  if (policy && 'orKey' in policy && policy.orKey === 'runtime') {
    const machine = await identifyRuntimeCaller(services, facts, 'action' in policy ? policy.action : null)
    if (machine) return machine
  }
  return byMetricsToken(policy, services, facts) ?? (await identify(services, facts))
}

/** Nobody in particular; for a route that identifies by itself. */
export const NOBODY: Identified = { caller: ANONYMOUS, steppedUp: false, refusal: null, byCookie: false }
const NO_KEY: Refusal = { code: 'AUTH_REQUIRED', message: 'The key is missing or wrong.' }

export const bearerOf = (facts: RequestFacts): string | undefined =>
  /^Bearer (\S{1,4096})$/i.exec(facts.headers.get('authorization') ?? '')?.[1]

/** Monitoring, where the policy lets it in and the token is right; null for everybody else. */
function byMetricsToken(
  policy: Policy | undefined,
  { env }: Pick<Services, 'env'>,
  facts: RequestFacts,
): Identified | null {
  if (!policy || !('orKey' in policy) || policy.orKey !== 'metrics') return null
  const bearer = bearerOf(facts)
  if (bearer === undefined || !sameSecret(bearer, env.METRICS_TOKEN)) return null
  const { correlationId } = facts
  const refusal = keyInClear(facts.headers, env)
  // Who knows the token may have read it on the way, so it is nobody yet.
  if (refusal) return { ...NOBODY, caller: { ...ANONYMOUS, via: 'api', correlationId }, refusal }
  return { ...NOBODY, caller: { ...MONITORING, via: 'api', correlationId } }
}

const NODE_HEADER = 'x-membridge-agent'
const sendsNodeKey = ({ headers }: RequestFacts): boolean =>
  headers.has(NODE_HEADER) && !headers.has(ADMIN_HEADER)

/** A node under its own key. The words of the refusal are those of the surface, which existing clients print. */
async function byNodeKey(services: Services, facts: RequestFacts): Promise<Identified> {
  const presented = { key: facts.headers.get(NODE_HEADER), via: 'control-plane' } as const
  const who = await identifyMachineKey(services, 'node', presented, facts)
  return who.refusal?.code === NO_ADMIN_KEY.code ? { ...who, refusal: NO_ADMIN_KEY } : who
}

type MachineKey = Extract<Policy, { key: string }>['key']

function byKey(key: MachineKey, env: Env, facts: RequestFacts): Identified {
  const { correlationId } = facts
  const bearer = bearerOf(facts)
  // A key that is presented as the admin's is judged as such, whatever else comes with it.
  const asCallback = bearer !== undefined && !facts.headers.has(ADMIN_HEADER)
  if (key === 'admin' || key === 'admin-or-node' || (key === 'admin-or-callback' && !asCallback)) {
    const refusal = adminKeyRefusal(env, facts.headers)
    const caller: Caller = refusal ? { ...ANONYMOUS, via: 'control-plane' } : CONTROL_PLANE_ADMIN
    return { ...NOBODY, caller: { ...caller, correlationId }, refusal }
  }
  const caller: Caller = { ...NLM_BACKEND, via: 'api', correlationId }
  return { ...NOBODY, caller, refusal: key === 'signed' ? null : bearerRefusal(key, bearer, env, facts) }
}

/** Why this bearer of a component is not taken; a job's write token is compared by its use-case. */
function bearerRefusal(
  key: MachineKey,
  bearer: string | undefined,
  env: Env,
  { headers }: RequestFacts,
): Refusal | null {
  if (bearer === undefined) return NO_KEY
  const inClear = keyInClear(headers, env)
  if (inClear || key === 'job-write') return inClear
  return sameSecret(bearer, env.MEMBRIDGE_CALLBACK_TOKEN) ? null : NO_KEY
}
