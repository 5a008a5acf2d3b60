/** The rules about LLM Tasks and Worker Nodes, each forced. */
import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { type AlertKit, HOUR, MINUTE, SECOND } from './alert-kit.ts'
import type { Forced } from './forced.ts'

/** A worker that could take a task without labels, unless `more` says otherwise; returns its id. */
async function node(kit: AlertKit, name: string, more: Parameters<AlertKit['add']>[1] = {}): Promise<string> {
  const worker_id = randomUUID()
  const row = { worker_id, name, can_run: true, max_concurrency: 1, last_heartbeat_at: kit.now(), ...more }
  await kit.add('worker_node', row)
  return worker_id
}

/** A task that may begin since so long; returns its id. */
async function queued(kit: AlertKit, ms: number, more: Parameters<AlertKit['add']>[1] = {}): Promise<string> {
  const task_id = randomUUID()
  await kit.add('llm_task', {
    ...{ task_id, status: 'queued', tenant: 'default', caller: 'owner', context_id: 'garden' },
    ...{ agent_slug: 'writer', prompt: 'Why?', timeout_sec: 60, budget: '{}', retry_policy: '{}' },
    ...{ allow_fallback: true, desired_format: 'text', max_attempts: 3, payload_digest: '0' },
    ...{ created_at: kit.ago(HOUR), not_before: kit.ago(ms), ...more },
  })
  return task_id
}

const leased = (kit: AlertKit, worker_id: string, more: Parameters<AlertKit['add']>[1] = {}) =>
  kit.add('task_lease', {
    ...{ lease_id: randomUUID(), status: 'active', task_id: randomUUID(), worker_id, context_id: 'garden' },
    ...{ fence: 1, token_hash: Buffer.from(randomUUID()), ttl_seconds: 90, timeout_sec: 60, selection: '{}' },
    ...{ started_at: kit.ago(HOUR), expires_at: kit.ago(-HOUR), ...more },
  })

const breaker = (kit: AlertKit, worker_id: string, state: string, failures: number, ...opened: Date[]) =>
  kit.add('worker_breaker', {
    ...{ worker_id, state, failures, open_until: state === 'open' ? kit.ago(-MINUTE) : null },
    opened_at: opened,
  })

const LOST = {
  rule: 'WorkerLost',
  condition: 'node_silent',
  resource: 'lost',
  severity: 'warning',
  value: 90,
} as const
/** One that is silent and holds a lease, among others that are not both. */
async function makeNodeSilent(kit: AlertKit): Promise<void> {
  const [silent, long] = [{ last_heartbeat_at: kit.ago(90 * SECOND) }, { last_heartbeat_at: kit.ago(HOUR) }]
  await leased(kit, await node(kit, 'lost', silent))
  await leased(kit, await node(kit, 'busy', { last_heartbeat_at: kit.ago(60 * SECOND) }))
  await leased(kit, await node(kit, 'drained', { ...long, drained_at: kit.ago(HOUR) }))
  await leased(kit, await node(kit, 'done', long), { status: 'expired', ended_at: kit.ago(HOUR) })
  await node(kit, 'idle', long)
}

const UNTAKEN = {
  rule: 'NoWorker',
  condition: 'tasks_untaken',
  resource: 'tasks',
  severity: 'warning',
} as const
const GPU = { required_labels: ['gpu'] }
const OPEN = {
  rule: 'BreakerOpen',
  condition: 'breaker_failures',
  resource: 'weak',
  severity: 'warning',
} as const
const closed = (kit: AlertKit) =>
  kit.change(sql`UPDATE worker_breaker SET state = 'closed', failures = 0, open_until = NULL`)

export const FORCED_RUNTIME: readonly Forced[] = [
  {
    ...LOST,
    force: makeNodeSilent,
    release: (kit) =>
      kit.change(sql`UPDATE worker_node SET last_heartbeat_at = ${kit.now()} WHERE name = 'lost'`),
  },
  {
    ...LOST,
    force: makeNodeSilent,
    release: (kit) =>
      kit.change(sql`UPDATE task_lease SET status = 'expired', ended_at = ${kit.now()} WHERE status = 'active'
        AND worker_id = (SELECT worker_id FROM worker_node WHERE name = 'lost')`),
  },
  {
    ...LOST,
    force: makeNodeSilent,
    release: (kit) => kit.change(sql`UPDATE worker_node SET drained_at = ${kit.now()} WHERE name = 'lost'`),
  },
  {
    ...{ ...UNTAKEN, value: 2 },
    // Each of these lacks one thing that a task with the label needs.
    async force(kit) {
      const gpu = { labels: ['gpu', 'fast'] }
      await node(kit, 'plain', { labels: ['fast'] })
      await node(kit, 'silent', { ...gpu, last_heartbeat_at: kit.ago(61 * SECOND) })
      await node(kit, 'left', { ...gpu, offline_at: kit.now() })
      await node(kit, 'drained', { ...gpu, drained_at: kit.now() })
      await node(kit, 'unable', { ...gpu, can_run: false })
      await node(kit, 'removed', { ...gpu, removed_at: kit.now() })
      await queued(kit, 121 * SECOND, GPU)
      await queued(kit, HOUR, { ...GPU, priority: 9 })
      await queued(kit, 120 * SECOND, GPU)
      await queued(kit, -HOUR, GPU)
      await queued(kit, HOUR)
      await queued(kit, HOUR, { ...GPU, status: 'leased' })
    },
    // A worker that has no room and is cooling down comes to them all the same.
    async release(kit) {
      const full = { labels: ['gpu'], active_leases: 1, rate_limited_until: kit.ago(-HOUR) }
      await breaker(kit, await node(kit, 'full', full), 'open', 3, kit.now())
    },
  },
  {
    ...{ ...UNTAKEN, value: 1 },
    async force(kit) {
      const first_worker_id = await node(kit, 'first', { last_heartbeat_at: kit.ago(HOUR) })
      await node(kit, 'another')
      await queued(kit, HOUR, { first_worker_id, allow_fallback: false })
      await queued(kit, HOUR, { first_worker_id })
    },
    release: (kit) =>
      kit.change(sql`UPDATE worker_node SET last_heartbeat_at = ${kit.now()} WHERE name = 'first'`),
  },
  {
    ...{ ...UNTAKEN, value: 1 },
    force: (kit) => queued(kit, HOUR),
    release: (kit) => kit.change(sql`UPDATE llm_task SET status = 'failed', ended_at = ${kit.now()}`),
  },
  {
    ...{ ...OPEN, value: 4 },
    async force(kit) {
      await breaker(kit, await node(kit, 'weak'), 'open', 4, kit.ago(MINUTE))
      await breaker(kit, await node(kit, 'well'), 'closed', 2, kit.ago(MINUTE), kit.ago(SECOND), kit.now())
      await breaker(kit, await node(kit, 'removed', { removed_at: kit.now() }), 'open', 3, kit.ago(MINUTE))
    },
    between: (kit) =>
      kit.change(sql`UPDATE worker_breaker SET state = 'half_open', open_until = NULL WHERE state = 'open'`),
    release: closed,
  },
  {
    ...{ ...OPEN, condition: 'breaker_openings', severity: 'critical', value: 3 },
    async force(kit) {
      const ago = [2 * HOUR, 50 * MINUTE, 30 * MINUTE, MINUTE].map(kit.ago)
      await breaker(kit, await node(kit, 'weak'), 'open', 6, ...ago)
    },
    between: async (kit) => kit.pass(15 * MINUTE),
    release: closed,
  },
]
