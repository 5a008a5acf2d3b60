import { describe, expect, test } from 'vitest'
import { edges } from '../kernel/machine.ts'
import { afterAnswer, afterCounted, type Breaker, CLOSED, cooled, isIncident } from './breaker.rules.ts'
import { judgeCompletion, type OutputFormat, outcomeOf, type Report } from './completion.rules.ts'
import {
  afterFailure,
  codeOfReport,
  countsForBreaker,
  delayMs,
  excludesWorker,
  FAILURES,
  type RetryPolicy,
  type TASK_ERROR_CODES,
} from './failure.rules.ts'
import { type Claim, type ClaimContext, claimHolds } from './lease-claim.rules.ts'
import { leaseEnd, ttlOf } from './lease-time.rules.ts'
import { taskMachine } from './task.machine.ts'
import { taskLeaseMachine } from './task-lease.machine.ts'

const POLICY: RetryPolicy = { backoff: 'exponential', base_delay_sec: 15, max_delay_sec: 300, jitter: false }

describe('the machines', () => {
  test('a completed task has no way out, a dead one only that of a person', () => {
    const from = (state: string) =>
      edges(taskMachine).flatMap((edge) => (edge.from === state ? [edge.event] : []))
    expect(from('completed')).toEqual([])
    expect(from('dead')).toEqual(['requeue'])
  })

  test('a lease that ended stays as it ended', () => {
    expect(edges(taskLeaseMachine).filter(({ from }) => from !== 'active' && from !== null)).toEqual([])
  })
})

describe('the end of a lease', () => {
  const at = (lastHeartbeat: number, ttlSeconds = ttlOf(120)) =>
    leaseEnd({ startedAt: 0, lastHeartbeat, ttlSeconds, timeoutSeconds: 120 })

  test.each([
    ['without a heartbeat', at(0), 150_000],
    ['a heartbeat does not put it off beyond the time of the task', at(140_000), 150_000],
    ['a short time to live ends it early', at(0, 30), 30_000],
    ['and a heartbeat puts that off', at(100_000, 30), 130_000],
    ['but no heartbeat for ever', at(149_000, 30), 150_000],
    ['a long time to live does not outlast the task', at(0, 3_630), 150_000],
  ])('%s', (_, end, expected) => expect(end).toBe(expected))
})

describe('the failure matrix', () => {
  test.each([
    ['timeout', 'delay', 'same_once', true],
    ['rate_limited', 'delay', 'another', false],
    ['provider_error', 'delay', 'same_once', true],
    ['parse_error', 'delay', 'same', false],
    ['worker_crash', 'now', 'another', true],
    ['node_unreachable', 'delay', 'another', true],
  ] as const)('%s: again with %s, on %s', (code, retry, where, counts) => {
    expect(FAILURES[code]).toEqual({ retry, where, counts })
    expect(countsForBreaker(code)).toBe(counts)
    expect(excludesWorker(code, false)).toBe(where === 'another')
    expect(excludesWorker(code, true)).toBe(where !== 'same')
  })

  test.each([
    'budget_exceeded',
    'invalid_prompt',
    'invalid_context',
    'output_too_large',
    'canceled',
  ] as const)('%s ends the task at once and burdens nobody', (code) => {
    const after = afterFailure(code, { attempts: 1, maxAttempts: 3, policy: POLICY }, { now: 0, random: 0 })
    expect(after).toEqual({ kind: 'final' })
    expect(countsForBreaker(code)).toBe(false)
    expect(excludesWorker(code, true)).toBe(false)
  })

  test.each([
    [undefined, 'Execution timed out', 'timeout'],
    [undefined, 'timeout exceeded', 'timeout'],
    [undefined, 'HTTP 429 from the provider', 'rate_limited'],
    [undefined, 'Rate limit reached, retry_after 20', 'rate_limited'],
    [undefined, 'overloaded', 'provider_error'],
    [undefined, 'exit code 4290', 'provider_error'],
    ['budget_exceeded', 'timed out', 'budget_exceeded'],
    ['made_up', 'timed out', 'timeout'],
    [null, '', 'provider_error'],
    ['worker_crash', 'I crashed', 'provider_error'],
    ['node_unreachable', 'I am not here', 'provider_error'],
    ['canceled', 'I was not', 'provider_error'],
  ] as const)('code %s with text "%s" is %s', (error_code, error_message, expected) => {
    const sent = error_code === undefined ? {} : { error_code }
    expect(codeOfReport({ ...sent, error_message })).toBe(expected)
  })
})

describe('the time before another execution', () => {
  test.each([
    ['exponential', [15, 30, 60, 120, 240, 300, 300]],
    ['linear', [15, 30, 45, 60, 75, 90, 105]],
  ] as const)('%s', (backoff, seconds) => {
    expect(seconds.map((_, n) => delayMs({ ...POLICY, backoff }, n + 1, 0.9) / 1_000)).toEqual(seconds)
  })

  test.each([
    [0, 12_000],
    [0.5, 15_000],
    [1, 18_000],
  ])('spread by %s within a fifth', (random, ms) =>
    expect(delayMs({ ...POLICY, jitter: true }, 1, random)).toBe(ms),
  )

  test('never longer than the policy allows, spread or not', () => {
    expect(delayMs({ ...POLICY, jitter: true }, 9, 1)).toBe(300_000)
  })

  const following = (code: (typeof TASK_ERROR_CODES)[number], attempts: number, retryAfterSeconds?: number) =>
    afterFailure(
      code,
      { attempts, maxAttempts: 3, policy: POLICY },
      { now: 1_000, random: 0, retryAfterSeconds },
    )

  test.each([
    ['the first', following('timeout', 1), { kind: 'retry', retryAt: 16_000 }],
    ['the second', following('timeout', 2), { kind: 'retry', retryAt: 31_000 }],
    ['the last', following('timeout', 3), { kind: 'dead' }],
    ['a lost worker', following('worker_crash', 1), { kind: 'retry', retryAt: 1_000 }],
    ['a limit that lasts', following('rate_limited', 1, 90), { kind: 'retry', retryAt: 91_000 }],
    ['a limit that is over sooner', following('rate_limited', 1, 3), { kind: 'retry', retryAt: 16_000 }],
    ['of nothing else', following('timeout', 1, 90), { kind: 'retry', retryAt: 16_000 }],
  ])('%s', (_, found, expected) => expect(found).toEqual(expected))
})

describe('who may report', () => {
  const holding = { leaseId: 'l2', fence: 2, workerId: 'orange', addresses: ['10.0.0.7'] }
  const named = (leaseId: string, fence: number): Claim => ({ kind: 'lease', leaseId, fence })
  const none = (address: string): Claim => ({ kind: 'none', address })
  const holds = (claim: Claim, context: Partial<ClaimContext> = {}) =>
    claimHolds(claim, { holding, earlierWorkers: [], leaseRequired: false, ...context })

  test.each([
    ['the lease that is active', holds(named('l2', 2)), true],
    ['an earlier lease', holds(named('l1', 1)), false],
    ['the right lease with an earlier fence', holds(named('l2', 1)), false],
    ['any lease of a task that nobody holds', holds(named('l2', 2), { holding: null }), false],
    ['no lease, while there was only one', holds(none('10.9.9.9')), true],
    ['no lease, where one is required', holds(none('10.0.0.7'), { leaseRequired: true }), false],
    ['no lease, from the address of the holder', holds(none('10.0.0.7'), { earlierWorkers: ['rpi'] }), true],
    ['no lease, from another address', holds(none('10.0.0.8'), { earlierWorkers: ['rpi'] }), false],
    [
      'no lease, where the holder had it before',
      holds(none('10.0.0.7'), { earlierWorkers: ['orange'] }),
      false,
    ],
    ['no lease, of a task that nobody holds', holds(none('10.0.0.7'), { holding: null }), false],
  ])('%s', (_, found, expected) => expect(found).toBe(expected))

  const judged = (standing: Partial<Parameters<typeof judgeCompletion>[0]>, leaseId: string | null = 'l2') =>
    judgeCompletion(
      { state: 'running', shownLeaseId: leaseId, digest: 'd', accepted: null, ...standing },
      leaseId === null ? none('10.0.0.7') : named(leaseId, 2),
      { holding, earlierWorkers: ['rpi'], leaseRequired: false },
    )
  const accepted = { leaseId: 'l2', digest: 'd' }
  const earlier = { leaseId: 'l1', digest: 'd' }

  test.each([
    ['of the active lease', judged({}), { kind: 'accept' }],
    ['before any heartbeat', judged({ state: 'leased' }), { kind: 'accept' }],
    ['of an earlier lease', judged({}, 'l1'), { kind: 'refuse', code: 'FENCE_STALE' }],
    ['the same again', judged({ state: 'completed', accepted }), { kind: 'repeat' }],
    ['the same again, without a lease', judged({ state: 'completed', accepted }, null), { kind: 'repeat' }],
    [
      'another after it',
      judged({ state: 'completed', accepted, digest: 'e' }),
      { kind: 'refuse', code: 'INVALID_TRANSITION' },
    ],
    ['of an earlier lease that counted, again', judged({ accepted: earlier }, 'l1'), { kind: 'repeat' }],
    [
      'of an earlier lease, after it',
      judged({ state: 'completed', accepted }, 'l1'),
      { kind: 'refuse', code: 'FENCE_STALE' },
    ],
    [
      'of a task that waits',
      judged({ state: 'queued' }, null),
      { kind: 'refuse', code: 'INVALID_TRANSITION' },
    ],
    ['without a lease, from the holder', judged({}, null), { kind: 'accept' }],
    [
      'without a lease, after an earlier one that counted',
      judged({ accepted: earlier, digest: 'e' }, null),
      { kind: 'accept' },
    ],
  ])('a completion %s', (_, found, expected) => expect(found).toEqual(expected))
})

describe('what a report says', () => {
  const said = (report: Partial<Report>, format: OutputFormat = 'text') =>
    outcomeOf({ status: 'success', output: null, error_message: null, tokens_used: null, ...report }, format)
  const envelope = (inner: object) => JSON.stringify({ type: 'result', is_error: false, ...inner })

  test.each([
    ['text as it is', said({ output: 'Hi' }), { kind: 'completed', output: 'Hi', tokensUsed: null }],
    [
      'JSON in one fence',
      said({ output: '```json\n{"a":1}\n```', tokens_used: 3 }, 'json'),
      { kind: 'completed', output: '{"a":1}', tokensUsed: 3 },
    ],
    [
      'no JSON',
      said({ output: 'Sorry' }, 'json'),
      { kind: 'failed', code: 'parse_error', message: 'The output is not JSON.', tokensUsed: null },
    ],
    [
      'an envelope of the executable',
      said({ output: envelope({ result: '{"a":1}', usage: { input_tokens: 5, output_tokens: 2 } }) }, 'json'),
      { kind: 'completed', output: '{"a":1}', tokensUsed: 7 },
    ],
    [
      'the count of the node goes before that of the envelope',
      said({ output: envelope({ result: 'x', usage: { output_tokens: 2 } }), tokens_used: 9 }),
      { kind: 'completed', output: 'x', tokensUsed: 9 },
    ],
    [
      'an envelope of a failure',
      said({ output: envelope({ is_error: true, result: 'Rate limit reached' }) }, 'json'),
      { kind: 'failed', code: 'rate_limited', message: 'Rate limit reached', tokensUsed: null },
    ],
    [
      'an envelope of a failure without an answer',
      said({ output: envelope({ is_error: true, subtype: 'error_max_turns', errors: ['Too many turns.'] }) }),
      { kind: 'failed', code: 'provider_error', message: 'Too many turns.', tokensUsed: null },
    ],
    [
      'one that says its kind alone',
      said({ output: envelope({ is_error: true, subtype: 'error_during_execution' }) }),
      { kind: 'failed', code: 'provider_error', message: 'error_during_execution', tokensUsed: null },
    ],
    [
      'JSON that only looks like one',
      said({ output: '{"type":"result","rows":[]}' }, 'json'),
      { kind: 'completed', output: '{"type":"result","rows":[]}', tokensUsed: null },
    ],
    [
      'an error',
      said({ status: 'error', error_message: 'timed out', tokens_used: 4 }),
      { kind: 'failed', code: 'timeout', message: 'timed out', tokensUsed: 4 },
    ],
  ])('%s', (_, found, expected) => expect(found).toEqual(expected))
})

describe('the breaker of a worker', () => {
  const failedTimes = (times: number, now = 0): Breaker =>
    Array.from({ length: times }).reduce<Breaker>((breaker) => afterCounted(breaker, now), CLOSED)

  test('opens at the third failure in a row, for a minute', () => {
    expect(failedTimes(2)).toMatchObject({ state: 'closed', failures: 2 })
    expect(failedTimes(3, 1_000)).toMatchObject({ state: 'open', openUntil: 61_000 })
  })

  test('an answer in between begins the count anew', () => {
    expect(afterCounted(afterCounted(afterAnswer(failedTimes(2)), 0), 0).state).toBe('closed')
  })

  test('lets one through when its time is over, not before', () => {
    const open = failedTimes(3)
    expect(cooled(open, 59_999).state).toBe('open')
    expect(cooled(open, 60_000)).toMatchObject({ state: 'half_open', openUntil: null })
    expect(cooled(CLOSED, 60_000)).toBe(CLOSED)
  })

  test('each failed try doubles its time, up to five minutes; an answer closes it', () => {
    const seconds: number[] = []
    let breaker = failedTimes(3)
    for (let n = 0; n < 4; n++) {
      const now = breaker.openUntil ?? 0
      seconds.push(breaker.cooldownSeconds)
      breaker = afterCounted(cooled(breaker, now), now)
    }
    expect([...seconds, breaker.cooldownSeconds]).toEqual([60, 120, 240, 300, 300])
    expect(afterAnswer(breaker)).toMatchObject({ state: 'closed', failures: 0, cooldownSeconds: 60 })
  })

  test('three openings within an hour are an incident, over two they are not', () => {
    const openAt = (times: readonly number[]) =>
      times.reduce<Breaker>((breaker, at) => {
        const again: Breaker = { ...afterAnswer(breaker), failures: 2 }
        return afterCounted(again, at)
      }, CLOSED)
    expect(isIncident(openAt([0, 1_000, 2_000]))).toBe(true)
    expect(isIncident(openAt([0, 1_000]))).toBe(false)
    expect(isIncident(openAt([0, 1_000, 3_600_000]))).toBe(false)
  })
})
