import { describe, expect, it } from 'vitest'
import type { JobHistoryRow } from '#contracts/job.contract.ts'
import { type JobEvent, type JobState, jobMachine } from '#domain/job/job.machine.ts'
import { attemptsOf } from './job-attempts.ts'

const STATE_OF = (event: JobEvent): JobState => jobMachine.events[event].to

/** The history of a job that went through these events, a second apart. */
function historyOf(events: readonly JobEvent[]): JobHistoryRow[] {
  return events.map((transition, i) => ({
    seq: i,
    event_id: `evt_${i}`,
    event: 'job.status.update',
    transition,
    from: i === 0 ? null : STATE_OF(events[i - 1] as JobEvent),
    to: STATE_OF(transition),
    outcome: 'ok',
    attempt: events.slice(0, i).filter((e) => e === 'pick_up').length,
    fence: 1,
    actor: 'worker',
    actor_role: 'system',
    reason: null,
    error: null,
    backoff_seconds: null,
    node: 'node-1',
    at: new Date(Date.UTC(2026, 2, 2) + i * 1_000).toISOString(),
  }))
}

const BEGIN = ['submit', 'admit', 'pick_up', 'context_ready'] as const
const AGAIN = ['nlm_busy', 'backoff_elapsed', 'pick_up', 'context_ready'] as const
const ROWS: readonly [string, readonly JobEvent[], string[]][] = [
  ['runs', BEGIN, ['running']],
  ['waits for its retry', [...BEGIN, 'nlm_busy'], ['retried']],
  ['completed on its retry', [...BEGIN, ...AGAIN, 'nlm_answered', 'commit'], ['retried', 'complete']],
  ['was refused for good', [...BEGIN, 'fatal', 'bury'], ['failed']],
  ['had no retry left', [...BEGIN, ...AGAIN, 'nlm_busy', 'exhausted', 'bury'], ['retried', 'failed']],
  ['was cancelled while it waited for its retry', [...BEGIN, 'nlm_busy', 'cancel'], ['failed']],
  [
    'was requeued after that',
    [...BEGIN, 'nlm_busy', 'exhausted', 'bury', 'requeue', 'pick_up', 'context_ready'],
    ['failed', 'running'],
  ],
]

describe('the attempts of a job that', () => {
  it.each(ROWS)('%s', (_name, events, outcomes) => {
    expect(attemptsOf(historyOf(events)).map(({ outcome }) => outcome)).toEqual(outcomes)
  })
})

describe('between the attempts of a job', () => {
  const again = [...BEGIN, ...AGAIN, 'nlm_busy', 'exhausted', 'bury', 'requeue', 'pick_up'] as const
  const second = (at: string | null | undefined) =>
    at ? (Date.parse(at) - Date.UTC(2026, 2, 2)) / 1_000 : null

  it('stand the queue before each, the backoff after it, and the requeues', () => {
    const history = historyOf(again).map((row) =>
      row.transition === 'nlm_busy' ? { ...row, backoff_seconds: row.attempt === 1 ? 15 : null } : row,
    )
    expect(
      attemptsOf(history).map((a) => [
        a.round,
        second(a.queued_at),
        second(a.started_at),
        second(a.backoff_until),
      ]),
    ).toEqual([
      [0, 1, 2, 5],
      [0, 5, 6, null],
      [1, 11, 12, null],
    ])
  })

  it('stands the end of a backoff that has not passed', () => {
    const history = historyOf([...BEGIN, 'nlm_busy']).map((row) => ({ ...row, backoff_seconds: 15 }))
    expect(second(attemptsOf(history)[0]?.backoff_until)).toBe(4 + 15)
  })

  it('stands nothing after a backoff that a person cut short', () => {
    const history = historyOf([...BEGIN, 'nlm_busy', 'cancel']).map((row) => ({
      ...row,
      backoff_seconds: 15,
    }))
    expect(second(attemptsOf(history)[0]?.backoff_until)).toBe(5)
  })
})
