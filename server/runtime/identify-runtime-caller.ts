/**
 * Machines on `/api/runtime` [runtime#access]: under the key of the runtime, as a node under its own key, or, for a report on a task, under nothing but
 * its lease, which names the worker. Null for a request that shows none of these, which may be a person's.
 */
import sql from 'sql-template-tag'
import { ANONYMOUS, type Caller, RUNTIME_MACHINE, WORKER_MACHINE } from '#domain/authority/caller.ts'
import type { Action } from '#domain/authority/matrix.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { keyIdOf } from '#domain/machine-key/key-form.rules.ts'
import type { Identified } from '#server/auth/identify.ts'
import { keyInClear } from '#server/auth/key-in-clear.ts'
import type { RequestFacts } from '#server/auth/request-facts.ts'
import { identifyMachineKey } from '#server/keys/identify-machine-key.ts'
import { prepared } from '#server/ledger/prepared.ts'
import type { Services } from '#server/services.ts'
import { sameSecret } from '#server/tokens/same-secret.ts'
import { isLeaseToken, leaseTokenHash } from './lease-token.ts'

/** The second is what older clients send. */
const KEY_HEADERS = ['x-runtime-api-key', 'x-bloom-api-key']
const NODE_HEADER = 'x-membridge-agent'
export const LEASE_HEADER = 'x-lease-token'

const NO_KEY: Refusal = { code: 'AUTH_REQUIRED', message: 'Unauthorized' }
const NO_LEASE: Refusal = { code: 'FENCE_STALE', message: 'This lease is not active. Stop the work.' }

type Parts = Pick<Services, 'db' | 'env'>

/** @param action null where nothing is asked for but who it is */
export async function identifyRuntimeCaller(
  services: Parts,
  facts: RequestFacts,
  action: Action | null,
): Promise<Identified | null> {
  const { headers } = facts
  const key = KEY_HEADERS.map((name) => headers.get(name)).find((value) => value !== null) ?? null
  if (key !== null) return byRuntimeKey(services, facts, key)
  const nodeKey = headers.get(NODE_HEADER)
  if (nodeKey !== null && keyIdOf(nodeKey) !== null)
    return identifyMachineKey(services, 'node', { key: nodeKey, via: 'api' }, facts)
  const token = headers.get(LEASE_HEADER)
  if (token !== null && action === 'task.report') return byLease(services, facts, token)
  return null
}

function byRuntimeKey({ env }: Parts, facts: RequestFacts, key: string): Identified {
  const inClear = keyInClear(facts.headers, env)
  if (inClear) return identified(ANONYMOUS, facts, inClear)
  if (sameSecret(key, env.RUNTIME_API_KEY)) return identified(RUNTIME_MACHINE, facts)
  const isWorkers = env.BLOOM_WORKER_KEY !== undefined && sameSecret(key, env.BLOOM_WORKER_KEY)
  return isWorkers ? identified(WORKER_MACHINE, facts) : identified(ANONYMOUS, facts, NO_KEY)
}

/** One look-up along the unique index of tokens. Whether the lease is still active is the use-case's matter. */
async function byLease({ db }: Parts, facts: RequestFacts, token: string): Promise<Identified> {
  if (!isLeaseToken(token)) return identified(ANONYMOUS, facts, NO_LEASE)
  const { rows } = await db.query<{ name: string }>(
    prepared(sql`SELECT w.name FROM task_lease l JOIN worker_node w ON w.worker_id = l.worker_id
      WHERE l.token_hash = ${leaseTokenHash(token)}`),
  )
  const worker = rows[0]
  if (!worker) return identified(ANONYMOUS, facts, NO_LEASE)
  return identified({ role: 'node', identity: `node:${worker.name}`, via: 'api' }, facts)
}

const identified = (
  caller: Caller,
  { correlationId }: RequestFacts,
  refusal: Refusal | null = null,
): Identified => ({
  caller: { ...caller, via: 'api', correlationId },
  steppedUp: false,
  byCookie: false,
  refusal,
})
