import { describe, expect, it } from 'vitest'
import { decide, judge, type Reading, type Standing, thresholdOf, type Verdict } from './alert.rules.ts'
import { CONDITION_NAMES, type ConditionName, RULE_NAMES } from './conditions.ts'

type Row = [ConditionName, ...[value: number, verdict: Verdict, more?: Partial<Reading>][]]
const SAMPLES = { samples: 100 }
const UNSETTLED = { settled: false }

/** Written by hand from the table of rules: what opens, what leaves as it is, what closes. */
const ROWS: Row[] = [
  ['jobs_queued', [1, 'warning'], [0, 'closes']],
  [
    'dead_rate',
    [0.011, 'critical', SAMPLES],
    [0.01, 'stays', SAMPLES],
    [0.008, 'stays', SAMPLES],
    [0.0079, 'closes', SAMPLES],
    [0.5, 'stays', { samples: 19 }],
    [0, 'closes', { samples: 0 }],
  ],
  ['dead_jobs', [51, 'critical'], [50, 'warning'], [11, 'warning'], [10, 'closes']],
  ['artifact_writes', [3, 'critical'], [2, 'stays', UNSETTLED], [2, 'closes'], [0, 'stays', UNSETTLED]],
  ['contexts', [3, 'critical'], [2, 'stays', UNSETTLED], [0, 'closes']],
  ['nlm_down', [30, 'warning'], [29, 'stays'], [0, 'stays'], [-29, 'stays'], [-30, 'closes']],
  ['nlm_errors', [0.51, 'critical', SAMPLES], [0.5, 'closes', SAMPLES], [1, 'stays', { samples: 9 }]],
  ['nlm_refused', [1, 'critical'], [0, 'stays', UNSETTLED], [0, 'closes']],
  [
    'run_failures',
    [0.4, 'warning', { samples: 10 }],
    [0.3, 'stays', { samples: 10 }],
    [0.2, 'closes', { samples: 10 }],
    [0.9, 'stays', { samples: 9 }],
  ],
  ['run_p95', [301, 'warning', SAMPLES], [300, 'stays', SAMPLES], [240, 'stays', SAMPLES], [239, 'closes']],
  ['agent_failures', [1, 'critical'], [0, 'closes']],
  ['proposals_waiting', [1, 'warning'], [0, 'closes']],
  ['proposals_expiring', [1, 'warning'], [0, 'closes']],
  ['applies', [3, 'critical'], [2, 'closes'], [0, 'closes']],
  ['worker_silent', [61, 'warning'], [60, 'closes']],
  ['node_silent', [61, 'warning'], [60, 'closes']],
  ['tasks_untaken', [1, 'warning'], [0, 'closes']],
  ['breaker_failures', [3, 'warning'], [2, 'closes']],
  ['breaker_openings', [3, 'critical'], [2, 'closes']],
  ['fence_refusals', [6, 'warning'], [5, 'stays'], [0, 'stays', UNSETTLED], [0, 'closes']],
  ['storage_down', [30, 'critical'], [29, 'stays'], [0, 'closes']],
  ['storage_used', [0.81, 'warning'], [0.8, 'stays'], [0.75, 'stays'], [0.74, 'closes']],
  ['audit_unmirrored', [61, 'critical'], [60, 'closes']],
  ['audit_unsigned', [7_201, 'critical'], [7_200, 'closes']],
  ['audit_faults', [1, 'critical'], [0, 'closes']],
  ['remote_lag', [901, 'warning'], [900, 'closes'], [0, 'closes']],
  ['leader_missing', [1, 'critical'], [0, 'closes']],
  ['lease_incidents', [1, 'critical'], [0, 'closes']],
  ['refusals', [51, 'warning'], [50, 'stays'], [1, 'stays'], [0, 'closes']],
  [
    'slo_6h',
    [2.1, 'warning', SAMPLES],
    [2, 'stays', SAMPLES],
    [1, 'stays', SAMPLES],
    [0.9, 'closes', SAMPLES],
  ],
  [
    'slo_1h',
    [14.1, 'critical', SAMPLES],
    [14, 'stays', SAMPLES],
    [0.9, 'closes', SAMPLES],
    [20, 'stays', { samples: 19 }],
  ],
]

describe('every condition', () => {
  it('has its row', () => expect(ROWS.map(([name]) => name)).toEqual(CONDITION_NAMES))

  const cases = ROWS.flatMap(([condition, ...of]) =>
    of.map(([value, verdict, more = {}]) => ({
      verdict,
      reading: { condition, resource: 'it', value, ...more },
    })),
  )
  it.each(cases)('$reading.condition at $reading.value: $verdict', ({ reading, verdict }) =>
    expect(judge(reading)).toBe(verdict),
  )

  it.each(CONDITION_NAMES)('%s says nothing while nothing is known', (condition) =>
    expect(judge({ condition, resource: 'it', value: null })).toBe('stays'),
  )
})

const reading = (condition: ConditionName, value: number, more: Partial<Reading> = {}): Reading => ({
  condition,
  resource: 'it',
  value,
  ...more,
})
const standing = (over: Partial<Standing> = {}): Standing => ({
  alert_id: 'a',
  rule: 'DeadJobs',
  resource: 'it',
  severity: 'warning',
  condition: 'dead_jobs',
  ...over,
})
const kinds = (of: readonly Standing[], ...readings: Parameters<typeof decide>[1]) =>
  decide(of, readings).map((d) => `${d.kind}${'severity' in d ? ` ${d.severity}` : ''}`)

describe('what is decided', () => {
  it('opens once for a rule and a resource', () => {
    const dead = reading('dead_jobs', 11)
    expect(decide([], [dead])).toEqual([
      { kind: 'open', rule: 'DeadJobs', severity: 'warning', reading: dead },
    ])
    expect(kinds([standing()], dead)).toEqual(['update warning'])
    expect(kinds([standing()], { ...dead, resource: 'another' })).toEqual(['open warning', 'close'])
  })

  it('opens nothing between the limits, nor without knowledge', () => {
    expect(kinds([], reading('run_p95', 250, SAMPLES))).toEqual([])
    expect(kinds([], { condition: 'nlm_down', resource: 'it', value: null })).toEqual([])
  })

  it('grows graver, and never milder', () => {
    expect(kinds([standing()], reading('dead_jobs', 51))).toEqual(['escalate critical'])
    expect(kinds([standing({ severity: 'critical' })], reading('dead_jobs', 20))).toEqual(['update critical'])
  })

  it('leaves an alert of which nothing is known, and closes one whose resource is gone', () => {
    const down = standing({ rule: 'NlmDown', condition: 'nlm_down' })
    expect(kinds([down], { condition: 'nlm_down', resource: 'it', value: null })).toEqual([])
    expect(decide([down], [])).toEqual([{ kind: 'close', alert: down, reading: null }])
  })

  it('joins the conditions of a rule: the gravest opens, all of them close', () => {
    const [down, errors] = [reading('nlm_down', 40), reading('nlm_errors', 0.9, { samples: 40 })]
    expect(kinds([], down, errors)).toEqual(['open critical'])
    const alert = standing({ rule: 'NlmDown', condition: 'nlm_errors', severity: 'critical' })
    expect(kinds([alert], reading('nlm_down', -60), errors)).toEqual(['update critical'])
    expect(kinds([alert], reading('nlm_down', -10), reading('nlm_errors', 0.1))).toEqual(['update critical'])
    expect(kinds([alert], reading('nlm_down', -60), reading('nlm_errors', 0.1))).toEqual(['close'])
  })

  it('tells the last value of the condition that the alert is about', () => {
    const alert = standing({ rule: 'SloBurn', condition: 'slo_6h' })
    const six = reading('slo_6h', 1.5, SAMPLES)
    const [decision] = decide([alert], [reading('slo_1h', 0.2, SAMPLES), six])
    expect(decision).toMatchObject({ kind: 'update', reading: six })
  })
})

it('names a threshold for every condition and severity', () => {
  for (const name of CONDITION_NAMES) expect(thresholdOf(name, 'warning')).toHaveLength(2)
  expect(thresholdOf('dead_jobs', 'critical')).toEqual(['>', 50])
  expect(RULE_NAMES).toHaveLength(24)
})
