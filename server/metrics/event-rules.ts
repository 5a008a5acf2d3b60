/**
 * What each event of the ledger adds to the metrics: pure rules over one event with the facts beside it [metrics#events]. Events
 * are counted exactly once, whoever made them, so these numbers are the same after restarts and with any number of workers.
 */
import type { JobEvent, JobState } from '#domain/job/job.machine.ts'
import type { ProposalEvent } from '#domain/proposal/proposal.machine.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import type { RunEvent } from '#domain/run/run.machine.ts'
import { bucketOf, type CounterName, type Decision, type HistogramName, type LabelsOf } from './catalogue.ts'
import { Meter, type Total } from './meter.ts'
import { task, taskLease } from './task-rules.ts'

/** An event with what the rules ask of its thing; a fact that a type of thing does not have is null. */
export type EventFacts = {
  /** The minute in which it happened. */
  at: Date
  resource_type: string
  name: string
  transition: string | null
  from_status: string | null
  to_status: string | null
  error_code: string | null
  /** Seconds since the transition before, in which the thing was in `from_status`. */
  in_state: number | null
  /** Seconds since the thing was created, requested or put back into the queue. */
  age: number | null
  step: string | null
  step_seconds: number | null
  job_type: string | null
  tenant: string | null
  agent_slug: string | null
  trigger: string | null
  action: string | null
  source_type: string | null
  /** The approval rule that matched a new proposal, and its mode then. */
  rule: string | null
  rule_mode: string | null
  /** A rejection that only makes room for what takes the place of a proposal. */
  superseded: boolean
}

const UNKNOWN = 'unknown'
const REPOSITORY = 'garden'

/** Agents that have a label of their own; those that come later are counted together as `other`. */
export const MAX_AGENTS = 200
export const OTHER = 'other'

type Tally = {
  count<N extends CounterName>(name: N, labels: LabelsOf<N>): void
  observe<N extends HistogramName>(name: N, labels: LabelsOf<N>, seconds: number | null): void
}

/** What these events add; `knownAgents` grows by those that get a label. */
export function totalsOf(events: readonly EventFacts[], knownAgents: Set<string>): Total[] {
  const meter = new Meter()
  for (const event of events) {
    const tally = tallyAt(event.at, meter)
    if (event.name in REFUSED_WRITES) tally.count('garden_fence_refused_total', {})
    else if (event.transition !== null)
      RULES[event.resource_type]?.(event, tally, (slug) => labelOfAgent(slug, knownAgents))
  }
  return meter.take()
}

const tallyAt = (at: Date, meter: Meter): Tally => ({
  count: (name, labels) => meter.add({ name, labels, le: Number.POSITIVE_INFINITY, count: 1, sum: 1, at }),
  observe(name, labels, seconds) {
    if (seconds === null) return
    const sum = Math.max(0, seconds)
    meter.add({ name, labels, le: bucketOf(name, sum), count: 1, sum, at })
  },
})

const REFUSED_WRITES: Readonly<Record<string, true>> = {
  'job.write.refused': true,
  'run.write.refused': true,
  'lease.refused': true,
}

function labelOfAgent(slug: string | null, known: Set<string>): string {
  if (slug === null) return UNKNOWN
  if (!known.has(slug) && known.size < MAX_AGENTS) known.add(slug)
  return known.has(slug) ? slug : OTHER
}

export type Rule = (event: EventFacts, tally: Tally, agentOf: (slug: string | null) => string) => void

/** Where a job comes from that was just requested. */
export const NEW = 'none'

/** The code of an attempt that failed, where its event brings none. */
const JOB_FAILURES: Partial<Record<JobEvent, string>> = {
  context_timeout: 'CONTEXT_TIMEOUT',
  nlm_busy: 'NLM_UNAVAILABLE',
  write_error: 'STORAGE_ERROR',
  lease_lost: 'LEASE_LOST',
  fatal: 'VALIDATION_ERROR',
  refuse: 'AGENT_NOT_ACTIVE',
  operator_fail: 'OPERATOR_FAILED',
}

const job: Rule = (event, tally) => {
  const transition = event.transition as JobEvent
  const jobType = event.job_type ?? UNKNOWN
  const tenant = event.tenant ?? 'default'
  if (event.from_status) {
    const phase = event.from_status
    if (!OVER.includes(phase))
      tally.observe('job_latency_seconds', { jobType, tenant, phase }, event.in_state)
    const work = WORK_OF[phase]
    if (work) tally.observe(work, { outcome: outcomeOf(transition, event.error_code) }, event.in_state)
  }
  if (event.to_status)
    tally.count('garden_job_transitions_total', { from: event.from_status ?? NEW, to: event.to_status })
  if (transition === 'pick_up') tally.observe('garden_job_start_seconds', { jobType, tenant }, event.in_state)
  // From its request, or from the latest requeue, to its artifact.
  if (transition === 'commit') tally.observe('garden_job_seconds', { jobType, tenant }, event.age)
  const failure = JOB_FAILURES[transition]
  if (failure) tally.count('job_failures_total', { jobType, tenant, code: event.error_code ?? failure })
  if (transition === 'backoff_elapsed') tally.count('job_retry_total', { jobType, tenant })
  if (transition === 'bury') tally.count('garden_job_dead_total', { jobType })
  if (transition === 'requeue') tally.count('garden_job_requeued_total', { jobType })
  if (transition === 'lease_lost') tally.count('garden_lease_expired_total', {})
}

/** A job that failed waits for a person, which says nothing of the queue. */
const OVER: readonly string[] = ['FAILED', 'DEAD'] satisfies JobState[]

/** States of a job whose time is also that of a piece of work. */
const WORK_OF: Readonly<Record<string, 'garden_context_assembly_seconds' | 'garden_nlm_call_seconds'>> = {
  CONTEXT_ASSEMBLY: 'garden_context_assembly_seconds',
  NOTEBOOKLM_CALL: 'garden_nlm_call_seconds',
}

function outcomeOf(transition: JobEvent, code: string | null): string {
  if (transition === 'context_ready' || transition === 'nlm_answered') return 'ok'
  if (transition === 'lease_lost') return 'lost'
  if (transition === 'cancel' || transition === 'operator_fail') return 'cancelled'
  return code?.endsWith('TIMEOUT') ? 'timeout' : 'error'
}

const run: Rule = (event, tally, agentOf) => {
  const transition = event.transition as RunEvent
  if (transition === 'step_done')
    tally.observe('garden_run_step_seconds', { step: event.step ?? UNKNOWN }, event.step_seconds)
  if (transition === 'resume') {
    tally.count('garden_run_resumes_total', {})
    tally.count('garden_lease_expired_total', {})
  }
  const ended = transition === 'complete' || transition === 'fail' || transition === 'cancel'
  if (!ended || !event.to_status) return
  const agent = agentOf(event.agent_slug)
  tally.count('garden_runs_total', { agent, status: event.to_status, trigger: event.trigger ?? UNKNOWN })
  // How long somebody waited before he cancelled says nothing of runs.
  if (transition !== 'cancel') tally.observe('garden_run_seconds', { agent }, event.age)
}

const DECISION_OF: Partial<Record<ProposalEvent, Decision>> = {
  approve: 'approved',
  auto_approve: 'auto_approved',
  undo: 'undone',
  reject: 'rejected',
  expire: 'expired',
}

const proposal: Rule = (event, tally) => {
  const transition = event.transition as ProposalEvent
  if (transition === 'create' && event.rule !== null)
    tally.count('garden_rule_matches_total', { rule: event.rule, mode: event.rule_mode ?? UNKNOWN })
  // An edit is the approval of what takes its place; a rebase and an answer to requested changes wait for a decision of their own.
  if (event.superseded) return
  const waited = event.from_status === proposalMachine.events.create.to
  const decision = DECISION_OF[transition]
  if (decision && (waited || decision === 'undone'))
    tally.count('garden_proposal_decisions_total', { decision })
  if (waited && (transition === 'approve' || transition === 'reject'))
    tally.observe('garden_proposal_decision_seconds', { action: event.action ?? UNKNOWN }, event.age)
  if (transition === 'applied')
    tally.observe('garden_apply_seconds', { repository: REPOSITORY }, event.in_state)
  if (transition === 'fail') tally.count('garden_apply_failures_total', { code: event.error_code ?? UNKNOWN })
  if (transition === 'retake') tally.count('garden_lease_expired_total', {})
}

const inbox: Rule = ({ transition, to_status: outcome, source_type: source }, tally) => {
  if (transition === 'receive') tally.count('garden_inbox_received_total', {})
  if (transition === 'receive' || !outcome) return
  tally.count('garden_inbox_entries_total', { source: source ?? UNKNOWN, outcome })
}

const RULES: Readonly<Record<string, Rule>> = { job, run, proposal, inbox, task, lease: taskLease }
