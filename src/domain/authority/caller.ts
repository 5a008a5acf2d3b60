/** Who calls, as the gateway found out: never taken from a body. */
export const ROLES = ['owner', 'operator', 'guest', 'agent', 'node', 'service', 'anonymous'] as const
export type Role = (typeof ROLES)[number]

export type Caller = {
  role: Role
  /** The form of the audit: `owner`, `operator:<name>`, `zone:<id>`, `agent:<slug>`, `node:<id>`, `orchestration-layer` … */
  identity: string
  via: 'console' | 'api' | 'control-plane' | 'system'
  sessionId?: string
  zoneId?: string
  accountId?: string
  correlationId?: string
}

const component = (identity: string): Caller => ({ role: 'service', identity, via: 'system' })

/** The components of the product as actors. */
export const GATEWAY = component('gateway')
export const ORCHESTRATION_LAYER = component('orchestration-layer')
export const APPLY_ENGINE = component('apply-engine')
export const REAPER = component('reaper')
export const PROJECTOR = component('projector')
/** What removes objects from the object store: unreferenced ones, and documents by retention. */
export const SWEEP = component('sweep')
export const SCHEDULER = component('scheduler')
/** The scheduler as the starter of one agent; no caller from outside ever has this role. */
export const schedulerOf = (slug: string): Caller => component(`cron:${slug}`)
/** What starts the product and makes homes: whoever has the machine. */
export const LAUNCHER = component('launcher')
/** `npm run rebuild`, by whoever has the machine. */
export const REBUILD = component('rebuild')
export const NLM_BACKEND = component('nlm-backend')
/** Whoever has the admin key of the Membridge Control Plane. */
export const CONTROL_PLANE_ADMIN: Caller = { ...component('membridge'), via: 'control-plane' }
/** Whoever has the key of BLOOM Runtime. */
export const RUNTIME_MACHINE: Caller = { ...component('runtime-machine'), via: 'api' }
/** Whoever has the key that workers share. It is the key of no one of them, so the caller names the worker that it acts for. */
export const WORKER_MACHINE: Caller = { role: 'node', identity: 'worker-machine', via: 'api' }
/** Whoever reads `/metrics` under the key of the home. */
export const MONITORING = component('monitoring')

/** Whether the caller is the agent of that slug. */
export const isOfAgent = ({ role, identity }: Pick<Caller, 'role' | 'identity'>, slug: string): boolean =>
  role === 'agent' && identity === `agent:${slug}`

/** The one node that a caller is by its own key or by a lease; null for who is none, or is whichever it names. */
export const nodeOf = ({ role, identity }: Pick<Caller, 'role' | 'identity'>): string | null =>
  role === 'node' && identity.startsWith('node:') ? identity.slice('node:'.length) : null

export const ANONYMOUS: Caller = { role: 'anonymous', identity: 'anonymous', via: 'api' }
