/** The rules about components, workers, the audit and access, each forced. */
import sql from 'sql-template-tag'
import { type AlertKit, HOUR, MINUTE, SECOND } from './alert-kit.ts'
import { type Forced, probe, repeat } from './forced.ts'

const refused = (name: string, more: object) => ({
  name,
  outcome: 'refused',
  error_code: 'FORBIDDEN',
  ...more,
})

const verification = (
  kit: AlertKit,
  id: string,
  faults: string,
  started: Date,
  finished: Date | null = started,
) =>
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

/** The remote that the tests configure. */
export const REMOTE = '/remotes/garden.git'

const REMOTE_LAG = {
  rule: 'RemoteLag',
  condition: 'remote_lag',
  resource: 'garden_remote',
  severity: 'warning',
} as const
const commit = (kit: AlertKit, age: number) =>
  kit.add('proposal', {
    ...{ proposal_id: `prop_${age}`, inbox_entry_id: 'i', source_type: 'user', source_identity: 'owner' },
    ...{ action: 'edit', target_type: 'note', target_path: 'a.md', target_key: `${age}`, summary: 'A note' },
    ...{ changes: '[]', content_digest: `${age}`, base_revision: '0', target_hash: '0', status: 'APPLIED' },
    ...{
      created_at: kit.ago(HOUR),
      expires_at: kit.ago(-HOUR),
      updated_at: kit.ago(age),
      git_commit: `c${age}`,
    },
  })

export const FORCED_SYSTEM: readonly Forced[] = [
  {
    ...{
      rule: 'WorkerLost',
      condition: 'worker_silent',
      resource: 'host:1:lost',
      severity: 'warning',
      value: 90,
    },
    async force(kit) {
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
    release: (kit) =>
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
    force: (kit) =>
      kit.event(
        ...repeat(6, (i) => ({
          name: (['job.write.refused', 'run.write.refused', 'lease.refused'] as const)[i % 3],
          actor_role: 'service',
        })),
      ),
    between: async (kit) => kit.pass(29 * MINUTE),
    release: async (kit) => kit.pass(2 * MINUTE),
  },
  {
    ...{
      rule: 'StorageDown',
      condition: 'storage_down',
      resource: 'git_garden',
      severity: 'critical',
      value: 30,
    },
    force: (kit) => probe(kit, 'git_garden', 'unavailable', kit.ago(30 * SECOND)),
    // Good at the last probe, but nobody has probed it for more than a minute.
    async between(kit) {
      await probe(kit, 'git_garden', 'healthy', kit.now())
      kit.pass(2 * MINUTE)
    },
    release: (kit) => probe(kit, 'git_garden', 'degraded', kit.now()),
  },
  {
    ...{ rule: 'StorageFull', condition: 'storage_used', resource: 'disk', severity: 'warning', value: 0.9 },
    force: async (kit) => Object.assign(kit.disk, { share: 0.9 }),
    between: async (kit) => Object.assign(kit.disk, { share: 0.78 }),
    release: async (kit) => Object.assign(kit.disk, { share: 0.7 }),
  },
  {
    ...{
      rule: 'AuditLag',
      condition: 'audit_unmirrored',
      resource: 'audit',
      severity: 'critical',
      value: 61,
    },
    async force(kit) {
      await kit.change(sql`DELETE FROM event`)
      await kit.event({ name: 'test', ts: kit.ago(61 * SECOND) })
    },
    release: (kit) => kit.change(sql`DELETE FROM event`),
  },
  {
    ...{
      rule: 'AuditLag',
      condition: 'audit_unsigned',
      resource: 'audit',
      severity: 'critical',
      value: 7_201,
    },
    async force(kit) {
      await kit.change(sql`DELETE FROM event`)
      await kit.add('event_seal', {
        seq: 1,
        event: 0,
        prev_hash: Buffer.alloc(32),
        hash: Buffer.alloc(32),
        sealed_at: kit.ago(7_201 * SECOND),
      })
    },
    release: (kit) => kit.change(sql`TRUNCATE event, event_seal`),
  },
  {
    ...{ rule: 'AuditBroken', condition: 'audit_faults', resource: 'audit', severity: 'critical', value: 1 },
    force: (kit) => verification(kit, 'v1', '[{"problem":"hash"}]', kit.ago(HOUR)),
    // Until the next one has finished, the last one speaks.
    between: (kit) => verification(kit, 'v2', '[]', kit.ago(MINUTE), null),
    release: (kit) => kit.change(sql`UPDATE audit_verification SET finished_at = ${kit.now()}`),
  },
  {
    ...{ ...REMOTE_LAG, value: 901 },
    force: (kit) =>
      kit.change(sql`UPDATE garden_remote SET address = ${REMOTE}, pushed_at = ${kit.ago(HOUR)}, problem = 'unreachable', failures = 9,
        failing_since = ${kit.ago(901 * SECOND)}`),
    // A push of another problem has not followed either.
    between: (kit) => kit.change(sql`UPDATE garden_remote SET problem = 'diverged', failures = 10`),
    release: (kit) =>
      kit.change(
        sql`UPDATE garden_remote SET problem = NULL, failures = 0, failing_since = NULL, pushed_at = ${kit.now()}`,
      ),
  },
  {
    ...{ ...REMOTE_LAG, value: 960 },
    async force(kit) {
      await kit.change(sql`UPDATE garden_remote SET address = ${REMOTE}, pushed_at = ${kit.ago(HOUR)}`)
      await commit(kit, 16 * MINUTE)
      await commit(kit, MINUTE)
    },
    release: (kit) =>
      kit.change(sql`UPDATE proposal SET remote_pushed_at = ${kit.now()} WHERE target_key = '960000'`),
  },
  {
    ...{
      rule: 'RefusalBurst',
      condition: 'refusals',
      resource: 'operator:eve',
      severity: 'warning',
      value: 51,
    },
    force: (kit) =>
      kit.event(
        refused('access.refused', { actor: 'operator:eve', actor_role: 'operator', details: '{"count":50}' }),
        refused('access.refused', { actor: 'operator:eve', actor_role: 'operator', details: '{"count":1}' }),
        refused('access.refused', { actor: 'operator:bob', actor_role: 'operator', details: '{"count":50}' }),
        refused('job.write.refused', { actor: 'reaper', actor_role: 'service', details: '{"count":99}' }),
      ),
    between: (kit) => kit.change(sql`DELETE FROM event WHERE details ->> 'count' = '50'`),
    release: async (kit) => kit.pass(6 * MINUTE),
  },
  {
    ...{
      rule: 'RefusalBurst',
      condition: 'refusals',
      resource: 'address:abc',
      severity: 'warning',
      value: 60,
    },
    force: (kit) =>
      kit.event(
        refused('auth.failed', {
          actor: 'anonymous',
          actor_role: 'anonymous',
          details: '{"count":60,"address_hash":"abc"}',
        }),
      ),
    release: async (kit) => kit.pass(6 * MINUTE),
  },
]
