/**
 * The alert rules as data ([alerts#rules]): what each condition measures, from which value on it opens an alert, and which value lets it
 * close. Between the two an alert stays as it is, so a value that wavers neither opens nor closes anything.
 *
 * A rule may have several conditions; they share one alert for each resource.
 */
import { INCIDENT_OPENINGS, OPENS_AFTER } from '../task/breaker.rules.ts'
import type { Condition } from './condition.ts'
import { HOUR, LAST_RUNS, MINUTE } from './windows.ts'

/** Shares and percentiles of fewer cases say nothing. */
const ENOUGH = 20
const CALLS = 10
/** Three probes in a row are 30 s apart from the first to the last. */
const THREE_PROBES = 30

export const CONDITIONS = {
  jobs_queued: { rule: 'JobQueuedTooLong', unit: 'count', opens: { warning: ['>', 0] }, closes: ['<=', 0] },
  dead_rate: {
    rule: 'DeadJobRate',
    unit: 'share',
    opens: { critical: ['>', 0.01] },
    closes: ['<', 0.008],
    samples: ENOUGH,
  },
  dead_jobs: {
    rule: 'DeadJobs',
    unit: 'count',
    opens: { warning: ['>', 10], critical: ['>', 50] },
    closes: ['<=', 10],
  },
  artifact_writes: {
    rule: 'ArtifactWriteFailing',
    unit: 'in_a_row',
    opens: { critical: ['>=', 3] },
    closes: ['<', 3],
  },
  contexts: { rule: 'ContextTimeouts', unit: 'in_a_row', opens: { critical: ['>=', 3] }, closes: ['<', 3] },
  nlm_down: {
    rule: 'NlmDown',
    unit: 'seconds',
    opens: { warning: ['>=', 30] },
    closes: ['<=', -THREE_PROBES],
  },
  nlm_errors: {
    rule: 'NlmDown',
    unit: 'share',
    opens: { critical: ['>', 0.5] },
    closes: ['<=', 0.5],
    samples: CALLS,
  },
  // A wrong key: the backend answers, so its probe finds nothing [jobs#J9].
  nlm_refused: {
    rule: 'NlmDown',
    unit: 'count',
    opens: { critical: ['>', 0] },
    closes: ['<=', 0],
  },
  run_failures: {
    rule: 'RunFailures',
    unit: 'share',
    opens: { warning: ['>', 0.3] },
    closes: ['<=', 0.2],
    samples: LAST_RUNS,
  },
  run_p95: {
    rule: 'RunSlow',
    unit: 'seconds',
    opens: { warning: ['>', 300] },
    closes: ['<', 240],
    samples: ENOUGH,
  },
  // Only agents in error are read: that a definition cannot be read brings one there at its first failure.
  agent_failures: {
    rule: 'AgentFailing',
    unit: 'in_a_row',
    opens: { critical: ['>=', 1] },
    closes: ['<', 1],
  },
  proposals_waiting: {
    rule: 'ProposalWaiting',
    unit: 'count',
    opens: { warning: ['>', 0] },
    closes: ['<=', 0],
  },
  proposals_expiring: {
    rule: 'ProposalWaiting',
    unit: 'count',
    opens: { warning: ['>', 0] },
    closes: ['<=', 0],
  },
  applies: { rule: 'ApplyFailing', unit: 'in_a_row', opens: { critical: ['>=', 3] }, closes: ['<', 3] },
  worker_silent: {
    rule: 'WorkerLost',
    unit: 'seconds',
    opens: { warning: ['>', MINUTE] },
    closes: ['<=', MINUTE],
  },
  node_silent: {
    rule: 'WorkerLost',
    unit: 'seconds',
    opens: { warning: ['>', MINUTE] },
    closes: ['<=', MINUTE],
  },
  tasks_untaken: { rule: 'NoWorker', unit: 'count', opens: { warning: ['>', 0] }, closes: ['<=', 0] },
  // Only breakers that are not closed are read, and a closed one has fewer failures.
  breaker_failures: {
    rule: 'BreakerOpen',
    unit: 'in_a_row',
    opens: { warning: ['>=', OPENS_AFTER] },
    closes: ['<', OPENS_AFTER],
  },
  breaker_openings: {
    rule: 'BreakerOpen',
    unit: 'count',
    opens: { critical: ['>=', INCIDENT_OPENINGS] },
    closes: ['<', INCIDENT_OPENINGS],
  },
  fence_refusals: {
    rule: 'FenceRefusals',
    unit: 'count',
    opens: { warning: ['>', 5] },
    closes: ['<=', 0],
  },
  storage_down: {
    rule: 'StorageDown',
    unit: 'seconds',
    opens: { critical: ['>=', 30] },
    closes: ['<=', 0],
  },
  storage_used: {
    rule: 'StorageFull',
    unit: 'share',
    opens: { warning: ['>', 0.8] },
    closes: ['<', 0.75],
  },
  audit_unmirrored: {
    rule: 'AuditLag',
    unit: 'seconds',
    opens: { critical: ['>', MINUTE] },
    closes: ['<=', MINUTE],
  },
  audit_unsigned: {
    rule: 'AuditLag',
    unit: 'seconds',
    opens: { critical: ['>', 2 * HOUR] },
    closes: ['<=', 2 * HOUR],
  },
  audit_faults: { rule: 'AuditBroken', unit: 'count', opens: { critical: ['>', 0] }, closes: ['<=', 0] },
  remote_lag: {
    rule: 'RemoteLag',
    unit: 'seconds',
    opens: { warning: ['>', 15 * MINUTE] },
    closes: ['<=', 15 * MINUTE],
  },
  leader_missing: {
    rule: 'LeaderMissing',
    unit: 'count',
    opens: { critical: ['>', 0] },
    closes: ['<=', 0],
  },
  lease_incidents: {
    rule: 'TermRegression',
    unit: 'count',
    opens: { critical: ['>', 0] },
    closes: ['<=', 0],
  },
  refusals: { rule: 'RefusalBurst', unit: 'count', opens: { warning: ['>', 50] }, closes: ['<=', 0] },
  slo_6h: {
    rule: 'SloBurn',
    unit: 'budget',
    opens: { warning: ['>', 2] },
    closes: ['<', 1],
    samples: ENOUGH,
  },
  slo_1h: {
    rule: 'SloBurn',
    unit: 'budget',
    opens: { critical: ['>', 14] },
    closes: ['<', 1],
    samples: ENOUGH,
  },
} as const satisfies Record<string, Condition>

export type ConditionName = keyof typeof CONDITIONS
export type RuleName = (typeof CONDITIONS)[ConditionName]['rule']

export const CONDITION_NAMES = Object.keys(CONDITIONS) as ConditionName[]
export const RULE_NAMES = [...new Set(Object.values(CONDITIONS).map(({ rule }) => rule))] as [
  RuleName,
  ...RuleName[],
]

/** A condition by its name, in the form that all share. */
export const conditionOf = (name: ConditionName): Condition => CONDITIONS[name]
