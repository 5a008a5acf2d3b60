/**
 * From what a caller shows to the lease that it means [runtime#claims]. The pure rule decides; what it decided by is fenced again by the statement that
 * follows, which names the lease and finds it active.
 */
import sql from 'sql-template-tag'
import { type Caller, nodeOf } from '#domain/authority/caller.ts'
import { type Result, refuse } from '#domain/kernel/result.ts'
import type { Claim, ClaimContext } from '#domain/task/lease-claim.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import { prepared } from '#server/ledger/prepared.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { columns, type Row } from '#server/ledger/rows.ts'
import { isLeaseToken, leaseTokenHash } from './lease-token.ts'

/** What came with a call: a token, or id and fence, or nothing but the address that it came from. */
export type Shown = {
  token: string | null
  leaseId: string | null | undefined
  fence: number | null | undefined
  address: string
}

const TASK = [
  ...(['task_id', 'status', 'fence', 'agent_slug', 'run_id', 'run_step', 'desired_format'] as const),
  ...(['attempts', 'max_attempts', 'retry_policy'] as const),
] as const
/** Of the prompt its beginning: the whole may be half a megabyte, and a node reports every ten seconds. */
export type KnownTask = Row<'llm_task', (typeof TASK)[number]> & { prompt: string }
const PROMPT_CHARACTERS = 1_000

/** Every lease of the task, the newest first; a task has ten attempts at most before a person looks at it. */
export type KnownLease = Row<'task_lease', 'lease_id' | 'status' | 'fence' | 'worker_id'> & {
  worker_name: string
  ip_addrs: string[]
  is_shown: boolean
  completion_digest: string | null
}
export type Standing = {
  task: KnownTask
  leases: readonly KnownLease[]
  active: KnownLease | null
  shown: KnownLease | null
  claim: Claim
  context: ClaimContext
}

const KNOWN = 50

/** The task with its leases and what the caller shows of them; null without the task. */
export async function standingOf(
  db: Db,
  taskId: string,
  what: Shown,
  { leaseRequired, caller }: { leaseRequired: boolean; caller: Caller },
): Promise<Standing | null> {
  const hash = what.token !== null && isLeaseToken(what.token) ? leaseTokenHash(what.token) : Buffer.alloc(0)
  const { rows } = await db.query<KnownTask & { leases: KnownLease[] }>(
    prepared(sql`SELECT ${columns('llm_task', 't', TASK)}, left(t.prompt, ${PROMPT_CHARACTERS}) AS prompt,
        (SELECT coalesce(jsonb_agg(k ORDER BY k.fence DESC), '[]') FROM (
          SELECT l.lease_id, l.status, l.fence, l.worker_id, w.name AS worker_name, w.ip_addrs, l.token_hash = ${hash} AS is_shown, a.completion_digest
          FROM task_lease l JOIN worker_node w ON w.worker_id = l.worker_id JOIN task_attempt a ON a.lease_id = l.lease_id
          WHERE l.task_id = t.task_id ORDER BY l.fence DESC LIMIT ${KNOWN}) k) AS leases
      FROM llm_task t WHERE t.task_id = ${taskId}`),
  )
  if (!rows[0]) return null
  const { leases, ...task } = rows[0]
  const active = leases.find((lease) => lease.status === 'active') ?? null
  const claim = claimOf(what, leases, caller)
  const shown =
    claim.kind === 'lease' ? (leases.find((lease) => lease.lease_id === claim.leaseId) ?? null) : null
  const context: ClaimContext = {
    holding: active && {
      leaseId: active.lease_id,
      fence: active.fence,
      workerId: active.worker_id,
      addresses: active.ip_addrs,
    },
    earlierWorkers: leases.filter((lease) => lease !== active).map((lease) => lease.worker_id),
    leaseRequired,
  }
  return { task, leases, active, shown, claim, context }
}

/** A lease that nobody has: what is shown and is not one of the task's counts as a lease that is over. */
const NOT_OURS = { kind: 'lease', leaseId: '', fence: -1 } as const satisfies Claim

function claimOf(what: Shown, leases: readonly KnownLease[], caller: Caller): Claim {
  const { token, leaseId, fence, address } = what
  if (token === null && leaseId == null) return { kind: 'none', address }
  const lease =
    token === null
      ? leases.find((one) => one.lease_id === leaseId?.toLowerCase() && one.fence === fence)
      : leases.find((one) => one.is_shown)
  if (!lease) return NOT_OURS
  // A worker under its own key shows no lease of another.
  const node = nodeOf(caller)
  if (node !== null && node !== lease.worker_name) return NOT_OURS
  return { kind: 'lease', leaseId: lease.lease_id, fence: lease.fence }
}

/** 409 for a lease that is not the task's active one, which is recorded: nothing changed. */
export async function refuseStale(
  db: Db,
  { task, claim }: Pick<Standing, 'task' | 'claim'>,
  what: 'heartbeat' | 'complete',
  caller: Caller,
): Promise<Result<never>> {
  const lease_id = claim.kind === 'lease' && claim.leaseId !== '' ? claim.leaseId : null
  await recordEvent(db, {
    name: 'lease.refused',
    actor: caller,
    resource: { type: 'task', id: task.task_id },
    outcome: 'refused',
    errorCode: 'FENCE_STALE',
    from: task.status,
    refs: { task_id: task.task_id, agent: task.agent_slug, ...(lease_id ? { lease_id } : {}) },
    details: { call: what, fence: task.fence, shown: claim.kind === 'lease' ? claim.fence : null },
  })
  return refuse({ code: 'FENCE_STALE', message: 'This lease is not active. Stop the work.' })
}
