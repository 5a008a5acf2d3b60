import { describe, expect, test } from 'vitest'
import { type Candidate, FILTERS, type Filter, selectWorker, type Wanted } from './selection.rules.ts'

const NOW = 1_000_000

const worker = (workerId: string, differing: Partial<Candidate> = {}): Candidate => ({
  workerId,
  online: true,
  canRun: true,
  maxConcurrency: 2,
  activeLeases: 0,
  contexts: [],
  labels: [],
  drained: false,
  breaker: 'closed',
  rateLimitedUntil: null,
  lastHeartbeat: NOW - 1_000,
  ...differing,
})

const wanted = (differing: Partial<Wanted> = {}): Wanted => ({
  contextId: 'garden',
  requiredLabels: [],
  preferredLabels: [],
  excluded: null,
  only: null,
  ...differing,
})

describe('a worker is not taken', () => {
  const cases: Record<Filter, [Candidate, Partial<Wanted>?]> = {
    not_named: [worker('rpi'), { only: 'orange' }],
    offline: [worker('rpi', { online: false })],
    no_executable: [worker('rpi', { canRun: false })],
    full: [worker('rpi', { activeLeases: 2 })],
    labels: [worker('rpi', { labels: ['fast'] }), { requiredLabels: ['fast', 'uk'] }],
    drained: [worker('rpi', { drained: true })],
    breaker_open: [worker('rpi', { breaker: 'open' })],
    rate_limited: [worker('rpi', { rateLimitedUntil: NOW + 1 })],
    excluded: [worker('rpi'), { excluded: 'rpi' }],
  }
  const alone = FILTERS.filter((filter) => filter !== 'excluded')

  test.each(alone)('for %s', (filter) => {
    const [candidate, differing] = cases[filter]
    expect(selectWorker([candidate], wanted(differing), NOW)).toEqual({
      rule: null,
      chosen: null,
      considered: [{ workerId: 'rpi', verdict: 'filtered', reason: filter }],
      filtered: { [filter]: 1 },
    })
  })

  test('for having failed last, while another one could take it, now or later', () => {
    const [failed, differing] = cases.excluded
    const full = worker('orange', { activeLeases: 2 })
    expect(selectWorker([failed, full], wanted(differing), NOW)).toMatchObject({
      chosen: null,
      filtered: { excluded: 1, full: 1 },
    })
    const gone = worker('orange', { online: false })
    expect(selectWorker([failed, gone], wanted(differing), NOW).chosen).toBe('rpi')
    expect(selectWorker([failed], wanted(differing), NOW).chosen).toBe('rpi')
  })

  test('for having failed last, while one that fetches could take it', () => {
    const [failed, differing] = cases.excluded
    const choose = (elsewhere: Candidate[]) =>
      selectWorker([failed], wanted({ ...differing, elsewhere }), NOW).chosen
    expect(choose([worker('orange')])).toBeNull()
    expect(choose([worker('orange', { online: false })])).toBe('rpi')
  })

  test('while its one try runs', () => {
    expect(
      selectWorker([worker('rpi', { breaker: 'half_open', activeLeases: 1 })], wanted(), NOW).chosen,
    ).toBeNull()
    expect(selectWorker([worker('rpi', { breaker: 'half_open' })], wanted(), NOW).chosen).toBe('rpi')
  })

  test('and each reason is counted', () => {
    const all = [
      worker('a', { online: false }),
      worker('b', { online: false }),
      worker('c', { drained: true }),
    ]
    expect(selectWorker(all, wanted(), NOW)).toMatchObject({ filtered: { offline: 2, drained: 1 } })
    expect(selectWorker([], wanted(), NOW)).toMatchObject({ chosen: null, considered: [] })
  })
})

describe('of several workers', () => {
  test.each([
    [
      'the one that works on the context, although it is fuller',
      [worker('free'), worker('there', { contexts: ['garden'], activeLeases: 1 })],
      {},
      { chosen: 'there', rule: 'sticky' },
    ],
    [
      'the one that was heard just now, although it is fuller',
      [worker('late', { lastHeartbeat: NOW - 15_001 }), worker('fresh', { activeLeases: 1 })],
      {},
      { chosen: 'fresh', rule: 'health' },
    ],
    [
      'the one with more room',
      [worker('small', { maxConcurrency: 1 }), worker('large', { maxConcurrency: 4, activeLeases: 2 })],
      {},
      { chosen: 'large', rule: 'load' },
    ],
    [
      'with as much room, the one with less to do',
      [worker('busy', { maxConcurrency: 3, activeLeases: 1 }), worker('idle')],
      {},
      { chosen: 'idle', rule: 'load' },
    ],
    [
      'the one with more of the labels that are preferred',
      [worker('one', { labels: ['uk'] }), worker('two', { labels: ['uk', 'fast'] })],
      { preferredLabels: ['fast', 'uk'] },
      { chosen: 'two', rule: 'labels' },
    ],
    [
      'the one that was heard last',
      [worker('a', { lastHeartbeat: NOW - 2_000 }), worker('b')],
      {},
      { chosen: 'b', rule: 'tie' },
    ],
    ['the first by its id', [worker('b'), worker('a')], {}, { chosen: 'a', rule: 'tie' }],
    ['the named one', [worker('a'), worker('b')], { only: 'b' }, { chosen: 'b', rule: 'explicit' }],
    [
      'the only one there may be, also after it failed',
      [worker('a'), worker('b')],
      { only: 'b', excluded: 'b' },
      { chosen: 'b', rule: 'explicit' },
    ],
    [
      'the one that is left',
      [worker('a', { drained: true }), worker('b')],
      {},
      { chosen: 'b', rule: 'health' },
    ],
  ] as const)('%s', (_, workers, differing, expected) => {
    expect(selectWorker(workers, wanted(differing), NOW)).toMatchObject(expected)
    expect(selectWorker([...workers].reverse(), wanted(differing), NOW)).toMatchObject(expected)
  })

  test('the choice says of each what decisive against it', () => {
    const all = [
      worker('gone', { online: false }),
      worker('full', { activeLeases: 2 }),
      worker('a'),
      worker('b', { activeLeases: 1 }),
    ]
    expect(selectWorker(all, wanted(), NOW)).toEqual({
      rule: 'load',
      chosen: 'a',
      considered: [
        { workerId: 'a', verdict: 'chosen', reason: 'load' },
        { workerId: 'b', verdict: 'passed_over', reason: 'load' },
        { workerId: 'gone', verdict: 'filtered', reason: 'offline' },
        { workerId: 'full', verdict: 'filtered', reason: 'full' },
      ],
    })
  })

  test('what is given is left as it was', () => {
    const all = Object.freeze([worker('b'), worker('a')])
    expect(() => selectWorker(all, wanted(), NOW)).not.toThrow()
  })
})
