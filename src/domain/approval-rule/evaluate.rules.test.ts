import { describe, expect, it } from 'vitest'
import type { Condition } from './condition.rules.ts'
import { evaluateRules, type ReadRule } from './evaluate.rules.ts'
import { type Floor, floorOf } from './floors.rules.ts'
import type { RuleMode, RuleSubject } from './rule-subject.ts'
import { change, SUBJECT } from './testing/subject.ts'

const memory = (unusuallyLarge?: boolean): RuleSubject => ({
  ...SUBJECT,
  action: 'memory-update',
  target: { type: 'memory', path: 'memory/gardener' },
  changes: [{ ...change('facts.md'), ...(unusuallyLarge === undefined ? {} : { unusuallyLarge }) }],
})

describe('floors', () => {
  it.each<[string, RuleSubject, Floor | null]>([
    ['a small edit', SUBJECT, null],
    ['logic-update', { ...SUBJECT, action: 'logic-update' }, 'logic'],
    ['logic-rollback', { ...SUBJECT, action: 'logic-rollback' }, 'logic'],
    ['logic by its target', { ...SUBJECT, target: { type: 'note', path: 'logic/gardener' } }, 'logic'],
    ['a tainted run', { ...SUBJECT, tainted: true }, 'tainted'],
    ['an agent', { ...SUBJECT, target: { type: 'note', path: 'agents/gardener/_agent.md' } }, 'agents'],
    ['an agent in capitals', { ...SUBJECT, changes: [change('Agents/gardener/_agent.md')] }, 'agents'],
    [
      'an agent among notes',
      { ...SUBJECT, changes: [...SUBJECT.changes, change('agents/x/_agent.md')] },
      'agents',
    ],
    ['rules', { ...SUBJECT, changes: [change('_bloom/rules/1.json')] }, 'reserved'],
    ['audit', { ...SUBJECT, target: { type: 'note', path: 'audit/2026' } }, 'reserved'],
    ['a comment', { ...SUBJECT, changes: [change('_bloom/comments/Log/May.md/p.md', 'create')] }, null],
    ['nothing', { ...SUBJECT, changes: [] }, 'reserved'],
    ['a deletion', { ...SUBJECT, changes: [change('Log/May.md', 'delete')] }, 'delete'],
    ['small memory', memory(false), null],
    ['large memory', memory(true), 'memory'],
    ['memory of unknown size', memory(), 'memory'],
    ['urgent memory', { ...memory(false), priority: 'high' }, 'memory'],
    ['a successor', { ...SUBJECT, successor: true }, 'successor'],
  ])('%s', (_, subject, floor) => expect(floorOf(subject)).toBe(floor))
})

const rule = (n: number, mode: RuleMode, condition: Condition | null, ended = false): ReadRule => ({
  rule_id: `rule_${n}`,
  version: 1,
  mode,
  condition,
  ended,
})
const EDITS: Condition = { action: 'propose-edit' }
const TAGS: Condition = { action: 'propose-tag' }

describe('the first match', () => {
  it.each<[string, ReadRule[], string[], number | null]>([
    ['none there', [], [], null],
    ['on', [rule(1, 'on', EDITS)], ['approved'], 1],
    ['off', [rule(1, 'off', EDITS)], [], null],
    ['ended', [rule(1, 'on', EDITS, true)], [], null],
    ['shadow', [rule(1, 'shadow', EDITS)], ['would_approve'], null],
    ['shadow before on', [rule(1, 'shadow', EDITS), rule(2, 'on', EDITS)], ['would_approve'], null],
    ['another before on', [rule(1, 'on', TAGS), rule(2, 'on', EDITS)], ['no_match', 'approved'], 2],
    ['on before on', [rule(1, 'on', EDITS), rule(2, 'on', EDITS)], ['approved'], 1],
    ['broken before on', [rule(1, 'on', null), rule(2, 'on', EDITS)], ['broken'], null],
    ['broken and off before on', [rule(1, 'off', null), rule(2, 'on', EDITS)], ['approved'], 2],
  ])('%s', (_, rules, outcomes, approving) => {
    const evaluation = evaluateRules(rules, SUBJECT)
    expect(evaluation.trace.map((entry) => entry.outcome)).toEqual(outcomes)
    expect(evaluation.approving?.rule_id ?? null).toBe(approving === null ? null : `rule_${approving}`)
  })

  it('stops at a floor and names it', () => {
    const rules = [rule(1, 'on', EDITS), rule(2, 'on', EDITS)]
    const { trace, approving } = evaluateRules(rules, { ...SUBJECT, tainted: true })
    expect(approving).toBeNull()
    expect(trace).toMatchObject([{ matched: true, outcome: 'floor', floor: 'tainted' }])
  })
})
