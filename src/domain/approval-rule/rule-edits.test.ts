import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseCondition } from './condition.rules.ts'
import { evaluateRules, type ReadRule } from './evaluate.rules.ts'
import { RULE_MODES, type RuleMode, type RuleSubject } from './rule-subject.ts'
import { change, SUBJECT } from './testing/subject.ts'

/** The floors told once more, from the proposal as it was made, not by the code under test. */
type Made = { subject: RuleSubject; floor: boolean }
const path = fc.constantFrom('Log/May.md', 'Beds.md', 'Log/a.md')
const pick = <T extends string>(...of: T[]) => fc.constantFrom(...of)
const plain: fc.Arbitrary<RuleSubject> = fc
  .record({
    action: pick('propose-edit', 'propose-tag', 'propose-note'),
    file: path,
    agent: fc.option(pick('gardener', 'tagger')),
    additions: fc.nat(40),
  })
  .map(({ action, file, agent, additions }) => ({
    ...SUBJECT,
    action,
    agent,
    source: agent ? { type: 'agent', identity: `agent:${agent}` } : { type: 'ui', identity: 'owner' },
    target: { type: 'note', path: `notes/${file}` },
    changes: [{ path: file, type: 'append', additions, deletions: 0 }],
  }))
const spoils: ((s: RuleSubject) => RuleSubject)[] = [
  (s) => ({ ...s, action: 'logic-update', target: { type: 'logic', path: 'logic/gardener' } }),
  (s) => ({ ...s, action: 'logic-rollback' }),
  (s) => ({ ...s, tainted: true }),
  (s) => ({
    ...s,
    target: { type: 'agent', path: 'agents/gardener/_agent.md' },
    changes: [change('agents/gardener/_agent.md')],
  }),
  (s) => ({ ...s, changes: [...s.changes, change('agents/x/sources/a.md', 'create')] }),
  (s) => ({ ...s, changes: [...s.changes, { ...change('Log/Old.md'), type: 'delete' }] }),
  (s) => ({ ...s, changes: [change('_bloom/rules/rule.json')] }),
  (s) => ({ ...s, action: 'memory-update', priority: 'high', target: { type: 'memory', path: 'memory/x' } }),
  (s) => ({
    ...s,
    action: 'memory-update',
    target: { type: 'memory', path: 'memory/x' },
    changes: [{ ...change('facts.md'), unusuallyLarge: true }],
  }),
  (s) => ({ ...s, successor: true }),
]
const made: fc.Arbitrary<Made> = fc.oneof(
  plain.map((subject) => ({ subject, floor: false })),
  fc.tuple(plain, fc.constantFrom(...spoils)).map(([s, spoil]) => ({ subject: spoil(s), floor: true })),
)

const few = <T extends string>(...of: T[]) =>
  fc.oneof(pick(...of), fc.record({ in: fc.uniqueArray(pick(...of), { minLength: 1, maxLength: 3 }) }))
const bound = fc.oneof(fc.record({ lte: fc.nat(50) }), fc.record({ gte: fc.nat(3) }), fc.nat(3))
const within = (...prefixes: string[]) =>
  fc.oneof(
    fc.record({ prefix: pick(...prefixes) }),
    fc.record({ glob: pick('p*', '?ogic*', 'notes/**', '*gents/**', '**.md', 'm*', '*') }),
  )
/** Mostly well formed, some refused; each field is named or not. */
const condition = fc
  .record(
    {
      action: fc.oneof(
        few('propose-edit', 'propose-tag', 'propose-note', 'memory-update', 'logic-update'),
        within('p', 'propose-', 'memory', 'l', 'logic', ''),
      ),
      agent: few('gardener', 'tagger'),
      priority: few('normal', 'high'),
      'target.path': within('notes/', 'n', 'agents/', 'memory/', 'notes/Log/'),
      'changes.type': few('append', 'replace', 'delete', 'create'),
      files: bound,
      additions: bound,
      mood: pick('good'),
    },
    { requiredKeys: [] },
  )
  .map((all) => Object.fromEntries(Object.entries(all).slice(0, 2)))

type Edit =
  | { kind: 'create' | 'edit'; at: number; condition: unknown; mode: RuleMode }
  | { kind: 'mode'; at: number; mode: RuleMode }
  | { kind: 'move' | 'remove' | 'corrupt' | 'end'; at: number }
  | { kind: 'propose'; made: Made }
const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({ kind: pick('create', 'edit'), at: fc.nat(9), condition, mode: fc.constantFrom(...RULE_MODES) }),
  fc.record({ kind: fc.constant('mode' as const), at: fc.nat(9), mode: fc.constantFrom(...RULE_MODES) }),
  fc.record({ kind: pick('move', 'remove', 'corrupt', 'end'), at: fc.nat(9) }),
  fc.record({ kind: fc.constant('propose' as const), made }),
  fc.record({ kind: fc.constant('propose' as const), made }),
)

/** What the owner, or whoever reached the ledger, may do to the rules; conditions that are refused leave them as they are. */
function edited(rules: ReadRule[], e: Edit): ReadRule[] {
  const next = [...rules]
  const at = 'at' in e ? e.at % Math.max(1, rules.length) : 0
  const present = next[at]
  if (e.kind === 'create' || e.kind === 'edit') {
    const read = parseCondition(e.condition)
    if (!read.ok) return next
    if (e.kind === 'create')
      next.push({
        rule_id: `rule_${next.length}`,
        version: 1,
        mode: e.mode,
        condition: read.value,
        ended: false,
      })
    else if (present)
      next[at] = { ...present, condition: read.value, mode: e.mode, version: present.version + 1 }
  } else if (present) {
    if (e.kind === 'mode') next[at] = { ...present, mode: e.mode }
    if (e.kind === 'corrupt') next[at] = { ...present, condition: null }
    if (e.kind === 'end') next[at] = { ...present, ended: true }
    if (e.kind === 'remove') next.splice(at, 1)
    if (e.kind === 'move') next.unshift(...next.splice(at, 1))
  }
  return next
}

it('no sequence of edits lets a rule approve what stands under a floor', () => {
  let approved = 0
  let floors = 0
  fc.assert(
    fc.property(fc.array(edit, { minLength: 10, maxLength: 40 }), (edits) => {
      let rules: ReadRule[] = []
      for (const one of edits) {
        rules = edited(rules, one)
        if (one.kind !== 'propose') continue
        const { approving, trace } = evaluateRules(rules, one.made.subject)
        const last = trace.at(-1)
        if (one.made.floor) expect(approving).toBeNull()
        if (one.made.floor && last?.matched) floors++
        if (!approving) continue
        approved++
        expect(approving).toMatchObject({ mode: 'on', ended: false, rule_id: last?.rule_id })
        expect(approving.condition).not.toBeNull()
        expect(trace.slice(0, -1).every((entry) => entry.outcome === 'no_match')).toBe(true)
      }
    }),
    { numRuns: 1_000 },
  )
  // Both were met, so that the property says something.
  expect(approved).toBeGreaterThan(50)
  expect(floors).toBeGreaterThan(50)
})
