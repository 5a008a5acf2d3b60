/**
 * A call to the control plane [runtime#control-plane]: by the guarded way out, 10 s, without redirects, and made again where the other side failed. The key goes to the one
 * origin that it was given for, and over plain HTTP to this machine alone.
 */
import { setTimeout as pause } from 'node:timers/promises'
import {
  type ConnectionFault,
  type ControlPlaneState,
  controlPlaneState,
} from '#contracts/runtime-settings.contract.ts'
import { CALL_REPEATS, mayRepeat, repeatDelayMs } from '#domain/membridge/repeat.rules.ts'
import { ADMIN_HEADER } from '#server/auth/admin-key.ts'
import { addressFaultKind, NODE_NETWORKS } from '#server/membridge/node-address.ts'
import {
  createGuardedFetch,
  type GuardedFetch,
  type OutboundAnswer,
  OutboundFailed,
  OutboundRefused,
} from '#server/outbound/guarded-fetch.ts'

const TIMEOUT_MS = 10_000
const MAX_BYTES = 1024 * 1024

export type Failed = { fault: ConnectionFault; message: string }
export type Asked = { health: ControlPlaneState } | Failed

/** Time and chance are given, so that a test does not wait. */
export type CallParts = {
  env: { ALLOW_INSECURE_LAN: boolean }
  wait?: (ms: number) => Promise<unknown>
  random?: () => number
}

export type ControlPlane = {
  /** The answer, whatever its status; a fault where none came. */
  get(path: string): Promise<Answered>
  /** Why an answer is none that a control plane gives to a known key. */
  refusalOf(status: number): Failed
}

/** Opens the way to a control plane while `use` runs; a fault, and nothing is sent, where it may not be called. */
export async function withControlPlane<Found>(
  { url, key }: { url: string; key: string },
  parts: CallParts & { maxBytes?: number },
  use: (plane: ControlPlane) => Promise<Found>,
): Promise<Found | Failed> {
  const { origin } = new URL(url)
  const kind = addressFaultKind(url, parts.env)
  if (kind) return { fault: kind, message: NOT_SENT[kind] }
  const { maxBytes = MAX_BYTES } = parts
  const guarded = createGuardedFetch({
    ...{ origins: [origin], addresses: NODE_NETWORKS, maxBytes, timeoutMs: TIMEOUT_MS },
  })
  try {
    return await use({
      get: (path) => repeated(() => once(guarded, `${url}${path}`, key), parts),
      refusalOf: (status) => refusalOf(status, origin),
    })
  } finally {
    await guarded.close()
  }
}

/** Its health, and whether it takes the key: `/health` answers anybody, `/agents` only who shows it. */
export const askControlPlane = (target: { url: string; key: string }, parts: CallParts): Promise<Asked> =>
  withControlPlane(target, parts, async ({ get, refusalOf }) => {
    const health = await get('/health')
    if ('fault' in health) return health
    const state = health.status === 200 ? stateIn(health.body) : null
    if (!state) return refusalOf(health.status)
    const agents = await get('/agents')
    if ('fault' in agents) return agents
    // Some have no list of agents; these tell nothing about the key.
    if (agents.status === 200 || agents.status === 404) return { health: state }
    return refusalOf(agents.status)
  })

const NOT_SENT = {
  not_callable: 'The address is link-local, multicast or reserved, where nothing is called.',
  in_clear:
    'The address is plain HTTP outside this machine, and the admin key must not cross a network unencrypted. Use an https address, or set ALLOW_INSECURE_LAN=1.',
} as const satisfies Partial<Record<ConnectionFault, string>>

function refusalOf(status: number, origin: string): Failed {
  if (status === 401 || status === 403)
    return {
      fault: 'refused_key',
      message: `The control plane at ${origin} refused the admin key (${status}).`,
    }
  if (mayRepeat(status))
    return { fault: 'failing', message: `The control plane at ${origin} answered ${status}.` }
  return {
    fault: 'not_control_plane',
    message: `What answers at ${origin} is no Membridge Control Plane (${status}).`,
  }
}

type Answered = OutboundAnswer | Failed

async function repeated(
  call: () => Promise<Answered>,
  { wait = (ms) => pause(ms), random = Math.random }: CallParts,
): Promise<Answered> {
  for (let repeat = 0; ; repeat++) {
    const answer = await call()
    const again = 'fault' in answer ? answer.fault === 'unreachable' : mayRepeat(answer.status)
    if (!again || repeat === CALL_REPEATS) return answer
    await wait(repeatDelayMs(repeat, random()))
  }
}

async function once(guarded: GuardedFetch, url: string, key: string): Promise<Answered> {
  try {
    return await guarded.fetch(url, { headers: { [ADMIN_HEADER]: key } })
  } catch (error) {
    if (error instanceof OutboundFailed) return { fault: 'unreachable', message: `${error.message}.` }
    if (error instanceof OutboundRefused) return refusedOf(error, new URL(url).origin)
    throw error
  }
}

/** A name that leads where nothing is called was not asked; an answer that is none came from something else. */
const refusedOf = ({ reason }: OutboundRefused, origin: string): Failed =>
  reason === 'address' || reason === 'origin'
    ? { fault: 'not_callable', message: NOT_SENT.not_callable }
    : {
        fault: 'not_control_plane',
        message: `What answers at ${origin} is no Membridge Control Plane: ${WHY[reason]}.`,
      }

const WHY = {
  redirect: 'it leads elsewhere, and redirects are not followed',
  size: 'its answer is too large',
  type: 'its answer is neither JSON nor text',
} as const

function stateIn(body: Buffer): ControlPlaneState | null {
  try {
    return controlPlaneState.safeParse(JSON.parse(body.toString('utf8'))).data ?? null
  } catch {
    return null
  }
}
