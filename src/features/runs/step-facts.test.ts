import { describe, expect, it } from 'vitest'
import { stepFacts } from './step-facts.ts'

const ROWS = [
  [
    'load-context',
    1,
    { sources: [{}, {}], fragments: [{}, {}, {}], dropped: [], total_tokens: 812, mode: 'none' },
    [
      { fact: 'sources', n: 2 },
      { fact: 'passages', n: 3 },
      { fact: 'tokens', n: 812 },
    ],
  ],
  [
    'load-context that had to leave something out',
    1,
    { sources: [], fragments: [{}], dropped: [{}], total_tokens: 8_000 },
    [
      { fact: 'passages', n: 1 },
      { fact: 'leftOut', n: 1 },
      { fact: 'tokens', n: 8_000 },
    ],
  ],
  [
    'execute-agent',
    2,
    { tool_calls: [{}], proposals: [{}], grounding: { status: 'partial', claims: 4, grounded_claims: 3 } },
    [
      { fact: 'calls', n: 1 },
      { fact: 'drafted', n: 1 },
      { fact: 'claims', n: 3, total: 4 },
    ],
  ],
  [
    'execute-agent without a claim',
    2,
    { tool_calls: [], proposals: [], grounding: { status: 'ungrounded', claims: 0, grounded_claims: 0 } },
    [{ fact: 'drafted', n: 0 }],
  ],
  [
    'persist-results',
    3,
    { created: [{}], reused: ['prop_1'], refused: [{}, {}] },
    [
      { fact: 'created', n: 1 },
      { fact: 'reused', n: 1 },
      { fact: 'refused', n: 2 },
    ],
  ],
  [
    'finalize',
    4,
    { manifest_sha256: 'a', totals: { proposals: 1, jobs: 1, artifacts: 0 } },
    [
      { fact: 'proposals', n: 1 },
      { fact: 'jobs', n: 1 },
    ],
  ],
  ['a step that has not ended', 1, null, []],
  ['an output of another shape', 4, { totals: 'none' }, []],
  ['an output that is no object', 3, ['created'], []],
  ['a step nobody knows', 9, { created: [{}] }, []],
] as const

describe('what a step has made', () => {
  it.each(ROWS)('%s', (_name, step, output, facts) => {
    expect(stepFacts({ step, output })).toEqual(facts)
  })
})
