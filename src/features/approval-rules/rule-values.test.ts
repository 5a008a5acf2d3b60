import { expect, it } from 'vitest'
import type { RuleView } from '#contracts/approval-rule.contract.ts'
import { conditionText, contentOf, EMPTY, valuesOf } from './rule-values.ts'

const RULE: RuleView = {
  rule_id: 'rule_0a1b2c3d4e5f',
  version: 2,
  name: 'Tags',
  mode: 'off',
  condition: {},
  daily_cap: 20,
  expires_at: '2027-01-01T00:00:00.000Z',
  ended: false,
  broken: null,
  matched_today: 0,
  approved_today: 0,
  last_matched_at: null,
  created_by: 'owner',
  updated_by: 'owner',
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
}
const at = { now: Date.parse('2026-11-01T00:00:00.000Z'), kept: RULE.expires_at }

it.each<[string, Record<string, unknown>]>([
  [
    'built fields',
    { agent: 'gardener', action: 'propose-tag', 'target.path': { prefix: 'notes/' }, additions: { lte: 4 } },
  ],
  ['what has no field', { 'source.type': { in: ['agent', 'webhook'] }, files: 1 }],
  [
    'built fields with other tests',
    { agent: { in: ['a', 'b'] }, 'target.path': { glob: 'notes/**.md' }, additions: { gte: 1, lte: 4 } },
  ],
])('a form loses nothing of a rule: %s', (_, condition) => {
  const read = contentOf(valuesOf({ ...RULE, condition }), at)
  expect(read).toEqual({
    ok: true,
    content: { name: 'Tags', condition, daily_cap: 20, expires_at: RULE.expires_at },
  })
})

it('reads what is typed', () => {
  const typed = { ...EMPTY, name: ' Log ', path: ' notes/Log/ ', cap: '', end: '30' }
  expect(contentOf(typed, at)).toEqual({
    ok: true,
    content: {
      name: 'Log',
      condition: { 'target.path': { prefix: 'notes/Log/' } },
      daily_cap: null,
      expires_at: '2026-12-01T00:00:00.000Z',
    },
  })
  for (const others of ['[]', '{', 'null', '3'])
    expect(contentOf({ ...EMPTY, others }, at)).toEqual({ ok: false, field: 'others' })
})

it('says a condition in one line', () => {
  const condition = {
    action: 'propose-tag',
    'target.path': { prefix: 'notes/' },
    files: { gte: 1, lte: 2 },
    agent: { in: ['a', 'b'] },
  }
  expect(conditionText(condition)).toBe(
    'action = propose-tag · target.path = notes/… · files ≥ 1 ≤ 2 · agent ∈ a, b',
  )
})
