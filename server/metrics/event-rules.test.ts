import { describe, expect, it } from 'vitest'
import { ATTEMPT_OUTCOMES, DECISIONS } from './catalogue.ts'
import { type EventFacts, MAX_AGENTS, OTHER, totalsOf } from './event-rules.ts'

const AT = new Date('2026-05-04T08:15:00Z')
const NOTHING: EventFacts = {
  at: AT,
  resource_type: 'job',
  name: 'job.status.update',
  transition: null,
  from_status: null,
  to_status: null,
  error_code: null,
  in_state: null,
  age: null,
  step: null,
  step_seconds: null,
  job_type: 'RESEARCH',
  tenant: 'default',
  agent_slug: null,
  trigger: null,
  action: null,
  source_type: null,
  rule: null,
  rule_mode: null,
  superseded: false,
}
const said = (...events: Partial<EventFacts>[]) =>
  totalsOf(
    events.map((event) => ({ ...NOTHING, ...event })),
    new Set(),
  ).map(({ name, labels, le, count }) => [
    name,
    ...Object.values(labels),
    ...(Number.isFinite(le) ? [le] : []),
    count,
  ])

const leaving = (from_status: string, transition: string, more: Partial<EventFacts> = {}) => ({
  from_status,
  transition,
  in_state: 0.2,
  ...more,
})
const CALL = 'NOTEBOOKLM_CALL'

describe('what an event adds', () => {
  it.each<[string, Partial<EventFacts>, unknown[]]>([
    ['a call that was answered', leaving(CALL, 'nlm_answered'), ['garden_nlm_call_seconds', 'ok', 0.25, 1]],
    [
      'one that took too long',
      leaving(CALL, 'nlm_busy', { error_code: 'NLM_TIMEOUT' }),
      ['garden_nlm_call_seconds', 'timeout', 0.25, 1],
    ],
    ['one that failed', leaving(CALL, 'fatal'), ['garden_nlm_call_seconds', 'error', 0.25, 1]],
    ['one whose worker was lost', leaving(CALL, 'lease_lost'), ['garden_nlm_call_seconds', 'lost', 0.25, 1]],
    ['one that was cancelled', leaving(CALL, 'cancel'), ['garden_nlm_call_seconds', 'cancelled', 0.25, 1]],
    [
      'a context',
      leaving('CONTEXT_ASSEMBLY', 'context_ready'),
      ['garden_context_assembly_seconds', 'ok', 0.25, 1],
    ],
    [
      'the time in a state',
      leaving('QUEUED', 'pick_up'),
      ['job_latency_seconds', 'RESEARCH', 'default', 'QUEUED', 0.5, 1],
    ],
    [
      'the time of a whole job',
      leaving('ARTIFACT_WRITE', 'commit', { age: 42 }),
      ['garden_job_seconds', 'RESEARCH', 'default', 60, 1],
    ],
    [
      'a bound belongs to its bucket',
      leaving('QUEUED', 'pick_up', { in_state: 0.1 }),
      ['job_latency_seconds', 'RESEARCH', 'default', 'QUEUED', 0.1, 1],
    ],
    [
      'the wait of a job that was picked up',
      leaving('QUEUED', 'pick_up', { to_status: 'CONTEXT_ASSEMBLY', in_state: 7 }),
      ['garden_job_start_seconds', 'RESEARCH', 'default', 10, 1],
    ],
    [
      'a move between two states',
      leaving('QUEUED', 'pick_up', { to_status: 'CONTEXT_ASSEMBLY' }),
      ['garden_job_transitions_total', 'QUEUED', 'CONTEXT_ASSEMBLY', 1],
    ],
    [
      'a new job',
      { transition: 'submit', to_status: 'PENDING' },
      ['garden_job_transitions_total', 'none', 'PENDING', 1],
    ],
    [
      'an entry that arrived',
      { resource_type: 'inbox', transition: 'receive' },
      ['garden_inbox_received_total', 1],
    ],
    ...(['approve', 'auto_approve', 'undo', 'reject', 'expire'] as const).map(
      (transition, n): [string, Partial<EventFacts>, unknown[]] => [
        `the decision ${transition}`,
        {
          resource_type: 'proposal',
          transition,
          from_status: transition === 'undo' ? 'APPROVED' : 'PENDING',
        },
        ['garden_proposal_decisions_total', DECISIONS[n], 1],
      ],
    ),
    [
      'a job of which the row is gone',
      leaving('QUEUED', 'pick_up', { job_type: null, tenant: null }),
      ['job_latency_seconds', 'unknown', 'default', 'QUEUED', 0.5, 1],
    ],
  ])('%s', (_, event, total) => {
    expect(said(event)).toContainEqual(total)
  })

  it('counts a failed attempt once, by the code of its event or of its transition', () => {
    const failures = said(
      leaving(CALL, 'nlm_busy', { error_code: 'STRUCTURE_ERROR' }),
      { from_status: 'RETRY_BACKOFF', transition: 'exhausted' },
      leaving(CALL, 'lease_lost'),
    ).filter(([name]) => name === 'job_failures_total')
    expect(failures).toEqual([
      ['job_failures_total', 'RESEARCH', 'default', 'STRUCTURE_ERROR', 1],
      ['job_failures_total', 'RESEARCH', 'default', 'LEASE_LOST', 1],
    ])
  })

  it.each<[string, Partial<EventFacts>, unknown[][]]>([
    [
      'the wait of a task that was leased',
      { transition: 'lease', from_status: 'queued', to_status: 'leased', in_state: 7 },
      [['garden_task_start_seconds', 10, 1]],
    ],
    ['a task that begins', { transition: 'start', from_status: 'leased', to_status: 'running', age: 3 }, []],
    [
      'an answer',
      { transition: 'succeed', from_status: 'running', to_status: 'completed', age: 42 },
      [
        ['garden_task_attempts_total', 'completed', 1],
        ['garden_tasks_ended_total', 'completed', 'none', 1],
        ['garden_task_seconds', 60, 1],
      ],
    ],
    [
      'a failure that is tried again',
      { transition: 'fail', from_status: 'running', to_status: 'failed', error_code: 'timeout', age: 42 },
      [['garden_task_attempts_total', 'failed', 1]],
    ],
    ['the next attempt', { transition: 'retry', from_status: 'failed', to_status: 'queued', age: 42 }, []],
    [
      'one that no repeat would mend',
      { transition: 'fail', to_status: 'failed', error_code: 'invalid_prompt', age: 42 },
      [
        ['garden_task_attempts_total', 'failed', 1],
        ['garden_tasks_ended_total', 'failed', 'invalid_prompt', 1],
        ['garden_task_seconds', 60, 1],
      ],
    ],
    [
      'a task without an attempt left',
      { transition: 'bury', from_status: 'failed', to_status: 'dead', error_code: 'timeout', age: 42 },
      [
        ['garden_tasks_ended_total', 'dead', 'timeout', 1],
        ['garden_task_seconds', 60, 1],
      ],
    ],
    [
      'a lease that ran out',
      { transition: 'expire', from_status: 'running', to_status: 'queued', age: 42 },
      [['garden_task_attempts_total', 'expired', 1]],
    ],
    [
      'the last lease that ran out',
      { transition: 'expire_dead', from_status: 'leased', to_status: 'dead', age: 42 },
      [
        ['garden_task_attempts_total', 'expired', 1],
        ['garden_tasks_ended_total', 'dead', 'worker_crash', 1],
        ['garden_task_seconds', 60, 1],
      ],
    ],
    [
      'a task that was handed back',
      { transition: 'hand_back', from_status: 'leased', to_status: 'queued', age: 42 },
      [['garden_task_attempts_total', 'handed_back', 1]],
    ],
    [
      'one that was cancelled at work',
      { transition: 'cancel', from_status: 'running', to_status: 'failed', age: 42 },
      [
        ['garden_task_attempts_total', 'canceled', 1],
        ['garden_tasks_ended_total', 'failed', 'canceled', 1],
      ],
    ],
    [
      'one that was cancelled in the queue',
      { transition: 'cancel', from_status: 'queued', to_status: 'failed', age: 42 },
      [['garden_tasks_ended_total', 'failed', 'canceled', 1]],
    ],
    [
      'the lease of a task that ran out',
      { resource_type: 'lease', transition: 'expire', from_status: 'active', to_status: 'expired' },
      [['garden_lease_expired_total', 1]],
    ],
    [
      'a report under a lease that is over',
      { name: 'lease.refused', from_status: 'completed' },
      [['garden_fence_refused_total', 1]],
    ],
    ['a command that was refused', { name: 'task.cancelled', from_status: 'completed' }, []],
  ])('of LLM Tasks: %s', (_, event, totals) => {
    expect(said({ resource_type: 'task', job_type: null, tenant: null, ...event })).toEqual(totals)
  })

  it('has an outcome for every attempt', () => {
    const ends = [['succeed'], ['fail'], ['expire'], ['hand_back'], ['cancel', 'leased']]
    const outcomes = ends.map(([transition = '', from_status = null]) =>
      said({ resource_type: 'task', transition, from_status }).find(
        ([name]) => name === 'garden_task_attempts_total',
      ),
    )
    expect(outcomes.map((total) => total?.[1])).toEqual([...ATTEMPT_OUTCOMES])
  })

  it('keeps the minutes of events apart', () => {
    const later = new Date(AT.getTime() + 60_000)
    const retries = [AT, later, AT].map((at) => ({ ...NOTHING, transition: 'backoff_elapsed', at }))
    expect(totalsOf(retries, new Set())).toMatchObject([
      { name: 'job_retry_total', count: 2, at: AT },
      { name: 'job_retry_total', count: 1, at: later },
    ])
  })

  it('adds nothing for a command that was refused, however it names its state', () => {
    expect(said({ name: 'job.requeue.refused', from_status: CALL, in_state: 5 })).toEqual([])
  })

  it('takes a decision from PENDING, and leaves out a rejection after a failure', () => {
    const decided = { resource_type: 'proposal', age: 90, action: 'propose-edit' }
    const rejected = { ...decided, transition: 'reject', from_status: 'FAILED' }
    expect(said({ ...decided, transition: 'approve', from_status: 'PENDING' })).toEqual([
      ['garden_proposal_decisions_total', 'approved', 1],
      ['garden_proposal_decision_seconds', 'propose-edit', 300, 1],
    ])
    expect(said(rejected)).toEqual([])
  })

  it('takes no decision from what makes room for another proposal', () => {
    const closed = { resource_type: 'proposal', transition: 'reject', from_status: 'PENDING', age: 90 }
    expect(said({ ...closed, superseded: true })).toEqual([])
    expect(said(closed)).toContainEqual(['garden_proposal_decisions_total', 'rejected', 1])
  })

  it('names the rule that matched a new proposal, once', () => {
    const matched = { resource_type: 'proposal', rule: 'rule_1', rule_mode: 'shadow' }
    expect(said({ ...matched, transition: 'create', to_status: 'PENDING' })).toEqual([
      ['garden_rule_matches_total', 'rule_1', 'shadow', 1],
    ])
    expect(said({ ...matched, transition: 'create', rule: null })).toEqual([])
    expect(said({ ...matched, transition: 'undo', from_status: 'APPROVED' })).toEqual([
      ['garden_proposal_decisions_total', 'undone', 1],
    ])
  })

  it('leaves the time of a cancelled run out of the times of runs', () => {
    const run = { resource_type: 'run', agent_slug: 'scout', trigger: 'manual', age: 3 }
    expect(said({ ...run, transition: 'cancel', to_status: 'cancelled' })).toEqual([
      ['garden_runs_total', 'scout', 'cancelled', 'manual', 1],
    ])
  })

  it('gives 200 agents a label and counts ten thousand others together', () => {
    const known = new Set<string>()
    const runs = Array.from({ length: 10_000 }, (_, n) => ({
      ...NOTHING,
      resource_type: 'run',
      transition: 'complete',
      to_status: 'completed',
      trigger: 'manual',
      agent_slug: `agent-${n}`,
      age: 1,
    }))
    const totals = [...totalsOf(runs.slice(0, 150), known), ...totalsOf(runs.slice(150), known)]
    const ended = totals.filter(({ name }) => name === 'garden_runs_total')
    expect(new Set(ended.map(({ labels }) => labels.agent)).size).toBe(MAX_AGENTS + 1)
    expect(ended.find(({ labels }) => labels.agent === OTHER)?.count).toBe(10_000 - MAX_AGENTS)
  })
})
