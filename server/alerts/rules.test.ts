/** Every rule forced in a real ledger: it opens its alert once, leaves it while it holds, and closes it by itself. */
import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ConditionName, RULE_NAMES, type RuleName, type Severity } from '#domain/alert/conditions.ts'
import { type AlertKit, alertKit, DAY, HOUR, MINUTE, SECOND } from './testing/alert-kit.ts'

let kit: AlertKit
beforeAll(async () => {
  kit = await alertKit()
})
afterAll(() => kit?.close())

const repeat = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i))
const jobEvent = (transition: string, at: Date) => ({ name: 'job.status.update', transition, ts: at })
const artifact = (at: Date) => ({
  ...{ artifact_id: `art-${randomUUID()}`, agent_slug: 'scout', type: 'RESEARCH_BRIEF', title: '' },
  ...{ object_key: randomUUID(), content_sha256: '0', bytes: 1, created_at: at },
  ...{ source_paths: [], tags: [], entity_refs: [] },
})
const failedJobs = (n: number, status: string, kind: string, at: Date) =>
  Promise.all(repeat(n, () => kit.job({ status, failure_kind: kind, finished_at: at })))
const run = (status: string, finished: Date, seconds = 10) => ({
  ...{
    run_id: `run_${randomUUID()}`,
    agent_slug: 'scout',
    requested_by: 'owner',
    status,
    finished_at: finished,
  },
  requested_at: new Date(finished.getTime() - seconds * SECOND),
  error: status === 'failed' ? '{}' : null,
})
const probe = (component: string, status: string, since: Date) =>
  kit.change(sql`INSERT INTO component_health (component, status, checked_at, since) VALUES (${component}, ${status}, ${kit.now()}, ${since})
    ON CONFLICT (component) DO UPDATE SET status = excluded.status, checked_at = excluded.checked_at, since = excluded.since`)
const proposal = (created: Date, expires: Date) => ({
  ...{
    proposal_id: `prop_${randomUUID()}`,
    inbox_entry_id: 'inbox',
    source_type: 'user',
    source_identity: 'owner',
  },
  ...{
    action: 'edit',
    target_type: 'note',
    target_path: 'a.md',
    target_key: 'a.md',
    summary: 'A note',
    changes: '[]',
  },
  ...{
    content_digest: randomUUID(),
    base_revision: '0',
    target_hash: '0',
    created_at: created,
    expires_at: expires,
  },
})
const apply = (name: string, error_code: string | null) => ({ name, error_code, resource_type: 'proposal' })
const refused = (name: string, more: object) => ({
  name,
  outcome: 'refused',
  error_code: 'FORBIDDEN',
  ...more,
})

type Forced = {
  rule: RuleName
  condition: ConditionName
  resource: string
  severity: Severity
  value?: number
  force(): Promise<unknown>
  /** What leaves the alert as it is, where there is something between. */
  between?(): Promise<unknown>
  release(): Promise<unknown>
}

const RULES: Forced[] = [
  {
    ...{
      rule: 'JobQueuedTooLong',
      condition: 'jobs_queued',
      resource: 'jobs',
      severity: 'warning',
      value: 1,
    },
    async force() {
      await kit.job({ status: 'QUEUED', updated_at: kit.ago(6 * MINUTE) })
      await kit.job({ status: 'QUEUED', updated_at: kit.ago(4 * MINUTE) })
      await kit.job({ status: 'QUEUED', updated_at: kit.ago(HOUR), wait_reason: 'quota' })
    },
    release: () => kit.change(sql`UPDATE job SET status = 'PENDING' WHERE status = 'QUEUED'`),
  },
  {
    ...{ rule: 'DeadJobs', condition: 'dead_jobs', resource: 'jobs', severity: 'warning', value: 11 },
    force: () => failedJobs(11, 'DEAD', 'exhausted', kit.ago(30 * DAY)),
    release: () => kit.change(sql`DELETE FROM job WHERE status = 'DEAD'`),
  },
  {
    ...{ rule: 'DeadJobRate', condition: 'dead_rate', resource: 'jobs', severity: 'critical' },
    async force() {
      await kit.add('artifact', ...repeat(98, () => artifact(kit.ago(DAY))))
      await failedJobs(2, 'DEAD', 'exhausted', kit.ago(2 * DAY))
      // What a person ended is neither.
      await failedJobs(9, 'FAILED', 'cancelled', kit.ago(2 * DAY))
    },
    between: () =>
      kit.change(sql`DELETE FROM job WHERE job_id = (SELECT job_id FROM job WHERE status = 'DEAD' LIMIT 1)`),
    release: () => kit.add('artifact', ...repeat(40, () => artifact(kit.ago(3 * DAY)))),
  },
  {
    ...{
      rule: 'ArtifactWriteFailing',
      condition: 'artifact_writes',
      resource: 'artifacts',
      severity: 'critical',
      value: 3,
    },
    force: () =>
      kit.event(jobEvent('commit', kit.now()), ...repeat(3, () => jobEvent('write_error', kit.now()))),
    release: () => kit.event(jobEvent('commit', kit.now()), jobEvent('write_error', kit.now())),
  },
  {
    ...{
      rule: 'ContextTimeouts',
      condition: 'contexts',
      resource: 'contexts',
      severity: 'critical',
      value: 4,
    },
    force: () => kit.event(...repeat(4, () => jobEvent('context_timeout', kit.now()))),
    // The failures have gone out of sight and nothing has succeeded yet.
    between: () =>
      kit.change(sql`INSERT INTO event (name, transition, actor, actor_role, resource_type, resource_id, body)
        SELECT 'job.status.update', 'admit', 'owner', 'owner', 'test', 'it', '{}' FROM generate_series(1, 2000)`),
    release: () => kit.event(jobEvent('context_ready', kit.now())),
  },
  {
    ...{ rule: 'NlmDown', condition: 'nlm_down', resource: 'nlm_backend', severity: 'warning', value: 30 },
    force: () => probe('nlm_backend', 'unavailable', kit.ago(30 * SECOND)),
    between: () => probe('nlm_backend', 'healthy', kit.ago(20 * SECOND)),
    release: () => probe('nlm_backend', 'healthy', kit.ago(40 * SECOND)),
  },
  {
    ...{
      rule: 'NlmDown',
      condition: 'nlm_errors',
      resource: 'nlm_backend',
      severity: 'critical',
      value: 0.6,
    },
    async force() {
      await probe('nlm_backend', 'healthy', kit.ago(DAY))
      await kit.event(
        ...repeat(10, (i) => jobEvent(i < 4 ? 'nlm_answered' : 'nlm_busy', kit.ago(30 * MINUTE))),
      )
    },
    between: () => probe('nlm_backend', 'unavailable', kit.ago(SECOND)),
    async release() {
      await probe('nlm_backend', 'healthy', kit.ago(DAY))
      kit.pass(31 * MINUTE)
      await probe('nlm_backend', 'healthy', kit.ago(DAY))
    },
  },
  {
    ...{ rule: 'RunFailures', condition: 'run_failures', resource: 'runs', severity: 'warning', value: 0.4 },
    force: () =>
      kit.add('run', ...repeat(12, (i) => run(i < 4 ? 'failed' : 'completed', kit.ago(i * MINUTE)))),
    between: () => kit.add('run', ...repeat(7, () => run('completed', kit.now()))),
    release: () => kit.add('run', ...repeat(3, () => run('completed', kit.now()))),
  },
  {
    ...{ rule: 'RunSlow', condition: 'run_p95', resource: 'runs', severity: 'warning', value: 400 },
    force: () => kit.add('run', ...repeat(20, () => run('completed', kit.now(), 400))),
    async release() {
      kit.pass(HOUR + SECOND)
      await kit.add(
        'run',
        run('completed', kit.now(), 400),
        ...repeat(30, () => run('completed', kit.now(), 20)),
      )
    },
  },
  {
    ...{
      rule: 'AgentFailing',
      condition: 'agent_failures',
      resource: 'scout',
      severity: 'critical',
      value: 3,
    },
    force: () =>
      kit.add('agent', {
        ...{
          slug: 'scout',
          status: 'error',
          name: '',
          version: '1',
          model: '',
          definition: '{}',
          failed_in_row: 3,
        },
        ...{ revision: '0', sha256: '0' },
      }),
    release: () => kit.change(sql`UPDATE agent SET status = 'active'`),
  },
  {
    ...{
      rule: 'ProposalWaiting',
      condition: 'proposals_waiting',
      resource: 'proposals',
      severity: 'warning',
      value: 1,
    },
    force: () =>
      kit.add(
        'proposal',
        proposal(kit.ago(49 * HOUR), kit.ago(-DAY)),
        proposal(kit.ago(47 * HOUR), kit.ago(-DAY)),
      ),
    release: () => kit.change(sql`UPDATE proposal SET status = 'REJECTED'`),
  },
  {
    ...{
      rule: 'ProposalWaiting',
      condition: 'proposals_expiring',
      resource: 'proposals',
      severity: 'warning',
      value: 1,
    },
    force: () =>
      kit.add('proposal', proposal(kit.now(), kit.ago(-4 * HOUR)), proposal(kit.now(), kit.ago(-5 * HOUR))),
    release: () => kit.change(sql`UPDATE proposal SET status = 'REJECTED'`),
  },
  {
    ...{
      rule: 'ApplyFailing',
      condition: 'applies',
      resource: 'apply_engine',
      severity: 'critical',
      value: 3,
    },
    force: () =>
      kit.event(
        apply('proposal.applied', null),
        ...repeat(3, () => apply('proposal.failed', 'internal')),
        ...repeat(3, () => apply('proposal.failed', 'conflict')),
      ),
    release: () => kit.event(apply('proposal.applied', null), apply('proposal.failed', 'internal')),
  },
  {
    ...{
      rule: 'WorkerLost',
      condition: 'worker_silent',
      resource: 'host:1:lost',
      severity: 'warning',
      value: 90,
    },
    async force() {
      const worker = (id: string, silent: number) => ({
        worker_id: id,
        host: 'host',
        pid: 1,
        heartbeat_at: kit.ago(silent),
      })
      await kit.add(
        'worker_process',
        worker('host:1:lost', 90 * SECOND),
        worker('host:1:idle', HOUR),
        worker('host:1:busy', SECOND),
      )
      await kit.job({
        status: 'NOTEBOOKLM_CALL',
        agent_slug: 'a',
        lease_holder: 'host:1:lost',
        lease_expires_at: kit.now(),
      })
      await kit.job({
        status: 'NOTEBOOKLM_CALL',
        agent_slug: 'b',
        lease_holder: 'host:1:busy',
        lease_expires_at: kit.now(),
      })
    },
    release: () =>
      kit.change(sql`UPDATE job SET status = 'PENDING', lease_holder = NULL WHERE lease_holder IS NOT NULL`),
  },
  {
    ...{
      rule: 'FenceRefusals',
      condition: 'fence_refusals',
      resource: 'fences',
      severity: 'warning',
      value: 6,
    },
    force: () =>
      kit.event(
        ...repeat(6, (i) => ({
          name: i < 3 ? 'job.write.refused' : 'run.write.refused',
          actor_role: 'service',
        })),
      ),
    between: async () => kit.pass(29 * MINUTE),
    release: async () => kit.pass(2 * MINUTE),
  },
  {
    ...{
      rule: 'StorageDown',
      condition: 'storage_down',
      resource: 'git_garden',
      severity: 'critical',
      value: 30,
    },
    force: () => probe('git_garden', 'unavailable', kit.ago(30 * SECOND)),
    // Good at the last probe, but nobody has probed it for more than a minute.
    async between() {
      await probe('git_garden', 'healthy', kit.now())
      kit.pass(2 * MINUTE)
    },
    release: () => probe('git_garden', 'degraded', kit.now()),
  },
  {
    ...{ rule: 'StorageFull', condition: 'storage_used', resource: 'disk', severity: 'warning', value: 0.9 },
    force: async () => Object.assign(kit.disk, { share: 0.9 }),
    between: async () => Object.assign(kit.disk, { share: 0.78 }),
    release: async () => Object.assign(kit.disk, { share: 0.7 }),
  },
  {
    ...{
      rule: 'AuditLag',
      condition: 'audit_unmirrored',
      resource: 'audit',
      severity: 'critical',
      value: 61,
    },
    async force() {
      await kit.change(sql`DELETE FROM event`)
      await kit.event({ name: 'test', ts: kit.ago(61 * SECOND) })
    },
    release: () => kit.change(sql`DELETE FROM event`),
  },
  {
    ...{
      rule: 'AuditLag',
      condition: 'audit_unsigned',
      resource: 'audit',
      severity: 'critical',
      value: 7_201,
    },
    async force() {
      await kit.change(sql`DELETE FROM event`)
      await kit.add('event_seal', {
        seq: 1,
        event: 0,
        prev_hash: Buffer.alloc(32),
        hash: Buffer.alloc(32),
        sealed_at: kit.ago(7_201 * SECOND),
      })
    },
    release: () => kit.change(sql`TRUNCATE event, event_seal`),
  },
  {
    ...{ rule: 'AuditBroken', condition: 'audit_faults', resource: 'audit', severity: 'critical', value: 1 },
    force: () => verification('v1', '[{"problem":"hash"}]', kit.ago(HOUR)),
    // Until the next one has finished, the last one speaks.
    between: () => verification('v2', '[]', kit.ago(MINUTE), null),
    release: () => kit.change(sql`UPDATE audit_verification SET finished_at = ${kit.now()}`),
  },
  {
    ...{
      rule: 'RefusalBurst',
      condition: 'refusals',
      resource: 'operator:eve',
      severity: 'warning',
      value: 51,
    },
    force: () =>
      kit.event(
        refused('access.refused', { actor: 'operator:eve', actor_role: 'operator', details: '{"count":50}' }),
        refused('access.refused', { actor: 'operator:eve', actor_role: 'operator', details: '{"count":1}' }),
        refused('access.refused', { actor: 'operator:bob', actor_role: 'operator', details: '{"count":50}' }),
        refused('job.write.refused', { actor: 'reaper', actor_role: 'service', details: '{"count":99}' }),
      ),
    between: () => kit.change(sql`DELETE FROM event WHERE details ->> 'count' = '50'`),
    release: async () => kit.pass(6 * MINUTE),
  },
  {
    ...{
      rule: 'RefusalBurst',
      condition: 'refusals',
      resource: 'address:abc',
      severity: 'warning',
      value: 60,
    },
    force: () =>
      kit.event(
        refused('auth.failed', {
          actor: 'anonymous',
          actor_role: 'anonymous',
          details: '{"count":60,"address_hash":"abc"}',
        }),
      ),
    release: async () => kit.pass(6 * MINUTE),
  },
  {
    ...{ rule: 'SloBurn', condition: 'slo_6h', resource: 'job_completion', severity: 'warning' },
    async force() {
      await kit.add('artifact', ...repeat(88, () => artifact(kit.ago(3 * HOUR))))
      await failedJobs(12, 'FAILED', 'invalid', kit.ago(5 * HOUR))
    },
    between: () => kit.add('artifact', ...repeat(60, () => artifact(kit.ago(2 * HOUR)))),
    release: async () => kit.pass(2 * HOUR),
  },
  {
    ...{ rule: 'SloBurn', condition: 'slo_1h', resource: 'job_completion', severity: 'critical' },
    async force() {
      await kit.add('artifact', ...repeat(5, () => artifact(kit.ago(30 * MINUTE))))
      await failedJobs(15, 'DEAD', 'exhausted', kit.ago(50 * MINUTE))
    },
    release: async () => kit.pass(7 * HOUR),
  },
]

const verification = (id: string, faults: string, started: Date, finished: Date | null = started) =>
  kit.add('audit_verification', {
    ...{
      verification_id: id,
      requested_by: 'owner',
      requested_role: 'owner',
      requested_via: 'console',
      stage: 'events',
    },
    ...{ started_at: started, finished_at: finished, to_seq: 0, to_id: 0, mirrored_to: 0, faults },
  })

it('forces every rule', () =>
  expect([...new Set(RULES.map(({ rule }) => rule))].sort()).toEqual([...RULE_NAMES].sort()))

describe.each(RULES)(
  '$rule by $condition',
  ({ rule, condition, resource, severity, value, force, between, release }) => {
    const eventNames = async (id: string) => {
      const { rows } = await kit.worker.query<{ name: string }>(
        sql`SELECT name FROM event WHERE resource_type = 'alert' AND resource_id = ${id} ORDER BY id`,
      )
      return rows.map(({ name }) => name)
    }
    const standing = async () => (await kit.alerts(rule)).filter((alert) => alert.status !== 'closed')

    it('opens once, stays, and closes by itself', async () => {
      // Far enough from what the rule before left behind; some last for a week.
      kit.pass(8 * DAY)
      await kit.empty()
      await kit.evaluate()
      expect(await standing()).toEqual([])
      await force()
      await kit.evaluate()
      const [alert, ...more] = await standing()
      expect(more).toEqual([])
      expect(alert).toMatchObject({
        status: 'open',
        rule,
        condition,
        resource,
        severity,
        opened_at: kit.now(),
      })
      if (value !== undefined) expect(alert?.value).toBeCloseTo(value, 3)
      await kit.evaluate()
      expect((await standing()).map((a) => a.alert_id)).toEqual([alert?.alert_id])
      await between?.()
      await kit.evaluate()
      expect(
        (await standing()).map((a) => a.alert_id),
        'stays in between',
      ).toEqual([alert?.alert_id])
      await release()
      await kit.evaluate()
      const ended = (await kit.alerts(rule)).find((a) => a.alert_id === alert?.alert_id)
      expect(ended).toMatchObject({ status: 'closed', closed_at: kit.now() })
      expect((await eventNames(alert?.alert_id ?? '')).filter((name) => name !== 'incident.opened')).toEqual([
        'incident.resolved',
      ])
    })
  },
)

it('a graver condition opens an acknowledged alert again, and a milder one leaves it grave', async () => {
  kit.pass(8 * DAY)
  await kit.empty()
  await kit.evaluate()
  await failedJobs(11, 'DEAD', 'exhausted', kit.ago(30 * DAY))
  await kit.evaluate()
  const alert = (await kit.alerts('DeadJobs')).at(-1)
  const person = { role: 'owner', identity: 'owner', via: 'console' } as const
  await acknowledgeAlert(
    { db: kit.worker },
    { alert_id: alert?.alert_id ?? '', note: 'Looking at it' },
    person,
  )
  await failedJobs(40, 'DEAD', 'exhausted', kit.ago(30 * DAY))
  await kit.evaluate()
  const grave = { alert_id: alert?.alert_id, status: 'open', severity: 'critical', value: 51, note: null }
  expect((await kit.alerts('DeadJobs')).at(-1)).toMatchObject({ ...grave, escalated_at: kit.now() })
  await kit.change(sql`DELETE FROM job WHERE job_id IN (SELECT job_id FROM job LIMIT 30)`)
  await kit.evaluate()
  expect((await kit.alerts('DeadJobs')).at(-1)).toMatchObject({ ...grave, value: 21 })
  expect(await eventNames(alert?.alert_id ?? '')).toEqual([
    'incident.opened',
    'incident.acknowledged',
    'incident.escalated',
  ])
})
