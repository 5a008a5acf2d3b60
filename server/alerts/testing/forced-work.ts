/** The rules about jobs, runs, agents and proposals, each forced. */
import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { type AlertKit, DAY, HOUR, MINUTE, SECOND } from './alert-kit.ts'
import { type Forced, failedJobs, probe, repeat } from './forced.ts'

const jobEvent = (transition: string, at: Date, error_code: string | null = null) => ({
  ...{ name: 'job.status.update', transition, ts: at, error_code },
})
/** So many other events of jobs that no look sees what was before them. */
const manyEvents = (kit: AlertKit) =>
  kit.change(sql`INSERT INTO event (name, transition, actor, actor_role, resource_type, resource_id, body)
    SELECT 'job.status.update', 'admit', 'owner', 'owner', 'test', 'it', '{}' FROM generate_series(1, 2000)`)
const artifact = (at: Date) => ({
  job_id: randomUUID(),
  ...{ artifact_id: `art-${randomUUID()}`, agent_slug: 'scout', type: 'RESEARCH_BRIEF', title: '' },
  ...{ object_key: randomUUID(), content_sha256: '0', bytes: 1, created_at: at },
  ...{ source_paths: [], tags: [], entity_refs: [] },
})
/** An answer of BLOOM Runtime: no job has completed. */
const taskArtifact = (at: Date) => ({ ...artifact(at), job_id: null, task_id: randomUUID() })
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

export const FORCED_WORK: readonly Forced[] = [
  {
    ...{
      rule: 'JobQueuedTooLong',
      condition: 'jobs_queued',
      resource: 'jobs',
      severity: 'warning',
      value: 1,
    },
    async force(kit) {
      await kit.job({ status: 'QUEUED', updated_at: kit.ago(6 * MINUTE) })
      await kit.job({ status: 'QUEUED', updated_at: kit.ago(4 * MINUTE) })
      await kit.job({ status: 'QUEUED', updated_at: kit.ago(HOUR), wait_reason: 'quota' })
    },
    release: (kit) => kit.change(sql`UPDATE job SET status = 'PENDING' WHERE status = 'QUEUED'`),
  },
  {
    ...{ rule: 'DeadJobs', condition: 'dead_jobs', resource: 'jobs', severity: 'warning', value: 11 },
    force: (kit) => failedJobs(kit, 11, 'DEAD', 'exhausted', kit.ago(30 * DAY)),
    release: (kit) => kit.change(sql`DELETE FROM job WHERE status = 'DEAD'`),
  },
  {
    ...{ rule: 'DeadJobRate', condition: 'dead_rate', resource: 'jobs', severity: 'critical' },
    async force(kit) {
      await kit.add('artifact', ...repeat(98, () => artifact(kit.ago(DAY))))
      await kit.add('artifact', ...repeat(400, () => taskArtifact(kit.ago(DAY))))
      await failedJobs(kit, 2, 'DEAD', 'exhausted', kit.ago(2 * DAY))
      // What a person ended is neither.
      await failedJobs(kit, 9, 'FAILED', 'cancelled', kit.ago(2 * DAY))
    },
    between: (kit) =>
      kit.change(sql`DELETE FROM job WHERE job_id = (SELECT job_id FROM job WHERE status = 'DEAD' LIMIT 1)`),
    release: (kit) => kit.add('artifact', ...repeat(40, () => artifact(kit.ago(3 * DAY)))),
  },
  {
    ...{
      rule: 'ArtifactWriteFailing',
      condition: 'artifact_writes',
      resource: 'artifacts',
      severity: 'critical',
      value: 3,
    },
    force: (kit) =>
      kit.event(jobEvent('commit', kit.now()), ...repeat(3, () => jobEvent('write_error', kit.now()))),
    release: (kit) => kit.event(jobEvent('commit', kit.now()), jobEvent('write_error', kit.now())),
  },
  {
    ...{
      rule: 'ContextTimeouts',
      condition: 'contexts',
      resource: 'contexts',
      severity: 'critical',
      value: 4,
    },
    force: (kit) => kit.event(...repeat(4, () => jobEvent('context_timeout', kit.now()))),
    // The failures have gone out of sight and nothing has succeeded yet.
    between: manyEvents,
    release: (kit) => kit.event(jobEvent('context_ready', kit.now())),
  },
  {
    ...{ rule: 'NlmDown', condition: 'nlm_down', resource: 'nlm_backend', severity: 'warning', value: 30 },
    force: (kit) => probe(kit, 'nlm_backend', 'unavailable', kit.ago(30 * SECOND)),
    between: (kit) => probe(kit, 'nlm_backend', 'healthy', kit.ago(20 * SECOND)),
    release: (kit) => probe(kit, 'nlm_backend', 'healthy', kit.ago(40 * SECOND)),
  },
  {
    ...{
      rule: 'NlmDown',
      condition: 'nlm_errors',
      resource: 'nlm_backend',
      severity: 'critical',
      value: 0.6,
    },
    async force(kit) {
      await probe(kit, 'nlm_backend', 'healthy', kit.ago(DAY))
      await kit.event(
        ...repeat(10, (i) => jobEvent(i < 4 ? 'nlm_answered' : 'nlm_busy', kit.ago(30 * MINUTE))),
      )
    },
    between: (kit) => probe(kit, 'nlm_backend', 'unavailable', kit.ago(SECOND)),
    async release(kit) {
      await probe(kit, 'nlm_backend', 'healthy', kit.ago(DAY))
      kit.pass(31 * MINUTE)
      await probe(kit, 'nlm_backend', 'healthy', kit.ago(DAY))
    },
  },
  {
    ...{
      rule: 'NlmDown',
      condition: 'nlm_refused',
      resource: 'nlm_backend',
      severity: 'critical',
      value: 2,
    },
    // Its health needs no key, so its probe finds nothing.
    async force(kit) {
      await probe(kit, 'nlm_backend', 'healthy', kit.ago(DAY))
      await kit.event(
        jobEvent('fatal', kit.now(), 'NLM_REFUSED'),
        jobEvent('nlm_answered', kit.now()),
        jobEvent('fatal', kit.now(), 'VALIDATION_ERROR'),
        ...repeat(2, () => jobEvent('fatal', kit.now(), 'NLM_REFUSED')),
      )
    },
    // A person requeues jobs, and nothing has been asked since.
    between: manyEvents,
    release: (kit) => kit.event(jobEvent('nlm_answered', kit.now())),
  },
  {
    ...{ rule: 'RunFailures', condition: 'run_failures', resource: 'runs', severity: 'warning', value: 0.4 },
    force: (kit) =>
      kit.add('run', ...repeat(12, (i) => run(i < 4 ? 'failed' : 'completed', kit.ago(i * MINUTE)))),
    between: (kit) => kit.add('run', ...repeat(7, () => run('completed', kit.now()))),
    release: (kit) => kit.add('run', ...repeat(3, () => run('completed', kit.now()))),
  },
  {
    ...{ rule: 'RunSlow', condition: 'run_p95', resource: 'runs', severity: 'warning', value: 400 },
    force: (kit) => kit.add('run', ...repeat(20, () => run('completed', kit.now(), 400))),
    async release(kit) {
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
    force: (kit) =>
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
    release: (kit) => kit.change(sql`UPDATE agent SET status = 'active'`),
  },
  {
    ...{
      rule: 'ProposalWaiting',
      condition: 'proposals_waiting',
      resource: 'proposals',
      severity: 'warning',
      value: 1,
    },
    force: (kit) =>
      kit.add(
        'proposal',
        proposal(kit.ago(49 * HOUR), kit.ago(-DAY)),
        proposal(kit.ago(47 * HOUR), kit.ago(-DAY)),
        // Put off by a person: it is not what waits.
        { ...proposal(kit.ago(49 * HOUR), kit.ago(-DAY)), snoozed_until: kit.ago(-HOUR) },
        // Its agent works on it.
        {
          ...proposal(kit.ago(49 * HOUR), kit.ago(-DAY)),
          ...{ change_request: 'inbox', awaiting_changes_since: kit.ago(HOUR) },
        },
      ),
    release: (kit) => kit.change(sql`UPDATE proposal SET status = 'REJECTED'`),
  },
  {
    ...{
      rule: 'ProposalWaiting',
      condition: 'proposals_expiring',
      resource: 'proposals',
      severity: 'warning',
      value: 1,
    },
    force: (kit) =>
      kit.add('proposal', proposal(kit.now(), kit.ago(-4 * HOUR)), proposal(kit.now(), kit.ago(-5 * HOUR))),
    release: (kit) => kit.change(sql`UPDATE proposal SET status = 'REJECTED'`),
  },
  {
    ...{
      rule: 'ApplyFailing',
      condition: 'applies',
      resource: 'apply_engine',
      severity: 'critical',
      value: 3,
    },
    force: (kit) =>
      kit.event(
        apply('proposal.applied', null),
        ...repeat(3, () => apply('proposal.failed', 'internal')),
        ...repeat(3, () => apply('proposal.failed', 'conflict')),
      ),
    release: (kit) => kit.event(apply('proposal.applied', null), apply('proposal.failed', 'internal')),
  },
  {
    ...{ rule: 'SloBurn', condition: 'slo_6h', resource: 'job_completion', severity: 'warning' },
    async force(kit) {
      await kit.add('artifact', ...repeat(88, () => artifact(kit.ago(3 * HOUR))))
      await kit.add('artifact', ...repeat(600, () => taskArtifact(kit.ago(3 * HOUR))))
      await failedJobs(kit, 12, 'FAILED', 'invalid', kit.ago(5 * HOUR))
    },
    between: (kit) => kit.add('artifact', ...repeat(60, () => artifact(kit.ago(2 * HOUR)))),
    release: async (kit) => kit.pass(2 * HOUR),
  },
  {
    ...{ rule: 'SloBurn', condition: 'slo_1h', resource: 'job_completion', severity: 'critical' },
    async force(kit) {
      await kit.add('artifact', ...repeat(5, () => artifact(kit.ago(30 * MINUTE))))
      await failedJobs(kit, 15, 'DEAD', 'exhausted', kit.ago(50 * MINUTE))
    },
    release: async (kit) => kit.pass(7 * HOUR),
  },
]
