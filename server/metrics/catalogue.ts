/**
 * Every metric of `/metrics`: name, type, labels, buckets (contract 10 §3). Nothing can be counted, observed or shown that has no row here, and
 * labels are checked by the compiler. No label holds an id, a guest's slug or a path: `route` is a template, `agent` is bounded.
 */
import { JOB_TYPES } from '#domain/job/job.rules.ts'

type Type = 'gauge' | 'counter' | 'histogram'
type Labels = Readonly<Record<string, string>>
type Declared = {
  type: Type
  help: string
  labels: readonly string[]
  /** Upper bounds in seconds, ascending, without +Inf. */
  buckets?: readonly number[]
  /** Label sets that stand at zero before anything has happened, so that a first increase is seen as one. */
  zeros?: readonly Labels[]
}

const FAST = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10]
const WORK = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]
const LONG = [0.1, 0.5, 1, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600]
const HUMAN = [10, 60, 300, 900, 3_600, 14_400, 43_200, 86_400, 172_800, 604_800]

const TENANT = 'default'
const NONE: readonly Labels[] = [{}]
const OF_OUTCOMES = ['delivered', 'retry', 'failed'].map((outcome) => ({ outcome }))
const OF_TYPES = JOB_TYPES.map((jobType) => ({ jobType }))
const OF_TENANTS = JOB_TYPES.map((jobType) => ({ jobType, tenant: TENANT }))

const gauge = <const L extends readonly string[]>(help: string, ...labels: L) => ({
  type: 'gauge' as const,
  help,
  labels,
})
const counter = <const L extends readonly string[]>(
  help: string,
  labels: L,
  zeros: readonly Labels[] = [],
) => ({
  type: 'counter' as const,
  help,
  labels,
  zeros,
})
const histogram = <const L extends readonly string[]>(
  help: string,
  labels: L,
  buckets: readonly number[],
) => ({
  type: 'histogram' as const,
  help,
  labels,
  buckets,
})

/** What becomes of a proposal that waits; `undone` takes an approval back. */
export const DECISIONS = ['approved', 'auto_approved', 'undone', 'rejected', 'expired'] as const
export type Decision = (typeof DECISIONS)[number]
const OF_DECISIONS = DECISIONS.map((decision) => ({ decision }))

/** What became of an attempt of an LLM Task. */
export const ATTEMPT_OUTCOMES = ['completed', 'failed', 'expired', 'handed_back', 'canceled'] as const
export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number]
const OF_ATTEMPTS = ATTEMPT_OUTCOMES.map((outcome) => ({ outcome }))

const PUSH_LOCK = 'garden_push_lock_held'

export const CATALOGUE = {
  job_queue_depth: gauge('Jobs that wait to be picked up; at most 20000 are counted', 'jobType', 'tenant'),
  job_latency_seconds: histogram('Time of a job in each state', ['jobType', 'tenant', 'phase'], LONG),
  job_failures_total: counter('Attempts of jobs that failed', ['jobType', 'tenant', 'code']),
  job_retry_total: counter('Retries of jobs', ['jobType', 'tenant'], OF_TENANTS),
  lease_extensions_total: counter(
    'Leases of jobs and runs that were renewed',
    ['tenant'],
    [{ tenant: TENANT }],
  ),
  garden_jobs: gauge(
    'Jobs by status, cancelled ones apart from the failed; at most 100000 are counted',
    'status',
  ),
  garden_job_transitions_total: counter('Transitions of jobs; a new one comes from none', ['from', 'to']),
  garden_job_start_seconds: histogram('From the queue to a worker', ['jobType', 'tenant'], LONG),
  garden_job_seconds: histogram('From the request of a job to its artifact', ['jobType', 'tenant'], LONG),
  garden_job_dead_total: counter('Jobs that became dead', ['jobType'], OF_TYPES),
  garden_job_requeued_total: counter('Jobs that a person put back into the queue', ['jobType'], OF_TYPES),
  garden_artifact_write_seconds: histogram('Writing an artifact: object and ledger', ['outcome'], FAST),
  garden_context_assembly_seconds: histogram('Assembling the context of a job', ['outcome'], WORK),
  garden_nlm_call_seconds: histogram('From the context of a job to its answer', ['outcome'], WORK),
  garden_runs_total: counter('Runs that ended', ['agent', 'status', 'trigger']),
  garden_run_seconds: histogram('From the request of a run to its end', ['agent'], LONG),
  garden_run_step_seconds: histogram('Completed steps of runs', ['step'], WORK),
  garden_runs_running: gauge('Running runs'),
  garden_runs_queued: gauge('Queued runs'),
  garden_run_resumes_total: counter('Runs taken over after their lease expired', [], NONE),
  garden_proposals: gauge('Proposals by status; at most 100000 are counted', 'status'),
  garden_proposal_age_seconds_max: gauge('Age of the oldest pending proposal', 'action'),
  garden_proposal_decision_seconds: histogram(
    'From a proposal to its decision by a person',
    ['action'],
    HUMAN,
  ),
  garden_proposal_decisions_total: counter('Decisions on proposals', ['decision'], OF_DECISIONS),
  garden_apply_seconds: histogram('From taking an approved proposal to its commit', ['repository'], FAST),
  garden_apply_failures_total: counter('Proposals that could not be applied', ['code']),
  garden_rule_matches_total: counter('New proposals that an approval rule matched', ['rule', 'mode']),
  garden_inbox_received_total: counter('Inbox entries received', [], NONE),
  garden_inbox_entries_total: counter('Inbox entries that ended', ['source', 'outcome']),
  garden_leases_active: gauge('Leases of jobs, runs, proposals and LLM Tasks that have not expired'),
  garden_lease_expired_total: counter('Leases that expired under their holder', [], NONE),
  garden_fence_refused_total: counter('Writes of former holders that were refused', [], NONE),
  garden_tasks: gauge('LLM Tasks by status; at most 100000 are counted', 'status'),
  garden_task_attempts_total: counter('Attempts of LLM Tasks that ended', ['outcome'], OF_ATTEMPTS),
  garden_tasks_ended_total: counter('LLM Tasks that ended, with the code of the failure', ['status', 'code']),
  garden_task_start_seconds: histogram('LLM Tasks, from the queue to a worker', [], LONG),
  garden_task_seconds: histogram(
    'LLM Tasks, from their creation or latest requeue to an end that nobody asked for',
    [],
    LONG,
  ),
  garden_worker_nodes: gauge('Registered Worker Nodes; a drained one counts as such alone', 'status'),
  garden_worker_breakers: gauge('Circuit breakers of registered Worker Nodes', 'state'),
  garden_workers: gauge('Worker processes that have not stopped', 'status'),
  garden_worker_heartbeat_age_seconds: gauge('Time since the latest heartbeat', 'worker'),
  garden_search_seconds: histogram('Searches in the garden', [], FAST),
  garden_http_requests_total: counter('Requests to the API', ['route', 'method', 'code']),
  garden_http_seconds: histogram('Requests to the API', ['route', 'method', 'code'], FAST),
  garden_refusals_total: counter('Requests that were refused', ['role']),
  garden_rate_limited_total: counter('Requests over a rate limit', ['role']),
  garden_stream_clients: gauge('Open event streams of the process that answers', 'kind'),
  garden_outbox_backlog: gauge('Sealed events that a consumer has not read yet', 'kind'),
  garden_audit_unmirrored: gauge('Events that are not in the object store yet', 'kind'),
  garden_storage_probe_seconds: histogram('Probes of canonical storage', ['kind'], FAST),
  garden_storage_used_ratio: gauge('Used part of the disk', 'kind'),
  garden_remote_lag_seconds: gauge('For how long the git remote has not followed the garden'),
  garden_leadership_epoch: gauge('Epoch of the Leadership Lease', 'project'),
  garden_leadership_term: gauge('Term of the Leadership Lease', 'project'),
  garden_leadership_expires_seconds: gauge(
    'What is left of the Leadership Lease; below 0 it has expired',
    'project',
  ),
  [PUSH_LOCK]: gauge('1 while a node holds the Push Lock', 'project'),
  garden_objects_unreferenced: gauge('Objects that nothing refers to and that wait for their removal'),
  garden_objects_removed_total: counter(
    'Objects removed from the object store',
    ['reason'],
    [{ reason: 'unreferenced' }, { reason: 'retention' }],
  ),
  garden_projection_faults: gauge('Things whose objects are set aside'),
  garden_incidents_open: gauge('Alerts whose condition still holds, acknowledged or not', 'severity'),
  garden_deadletter_depth: gauge('Dead jobs; at most 100000 are counted', 'jobType', 'tenant'),
  garden_webhook_deliveries_total: counter(
    'Attempts to send a message to a webhook',
    ['outcome'],
    OF_OUTCOMES,
  ),
} as const satisfies Record<string, Declared>

type Catalogue = typeof CATALOGUE
export type MetricName = keyof Catalogue
type OfType<T extends Type> = { [N in MetricName]: Catalogue[N]['type'] extends T ? N : never }[MetricName]
export type GaugeName = OfType<'gauge'>
export type CounterName = OfType<'counter'>
export type HistogramName = OfType<'histogram'>
export type LabelsOf<N extends MetricName> = Readonly<Record<Catalogue[N]['labels'][number], string>>

/** The declaration of a metric; undefined for a name that an earlier version had stored. */
export const declarationOf = (name: string): Declared | undefined =>
  (CATALOGUE as Readonly<Record<string, Declared>>)[name]

/** The upper bound of the bucket that `seconds` falls into. */
export const bucketOf = (name: HistogramName, seconds: number): number =>
  CATALOGUE[name].buckets.find((bound) => seconds <= bound) ?? Number.POSITIVE_INFINITY
