/**
 * What the rules say to a new proposal ([approval-rules#evaluation]): by position, the first that matches. A rule that cannot be read ends
 * the evaluation, since nobody knows whether it would have been the first.
 */
import {
  CONDITION_FIELDS,
  type Condition,
  type ConditionField,
  type FieldTest,
  numberPasses,
  textPasses,
} from './condition.rules.ts'
import { type Floor, floorOf } from './floors.rules.ts'
import type { RuleMode, RuleOutcome, RuleSubject } from './rule-subject.ts'

/** A rule as the evaluation takes it; `condition: null` is one that cannot be read or was not tested as it stands. */
export type ReadRule = {
  rule_id: string
  version: number
  mode: RuleMode
  condition: Condition | null
  /** Its end has passed. */
  ended: boolean
}

/** One evaluated rule on a proposal. */
export type TraceEntry = {
  rule_id: string
  version: number
  mode: RuleMode
  matched: boolean
  outcome: RuleOutcome
  floor: Floor | null
}

/** `approving` is the rule that approves the proposal if its cap and the target allow; its entry is the last of the trace. */
export type Evaluation = { trace: TraceEntry[]; approving: ReadRule | null }

const sum = (subject: RuleSubject, of: 'additions' | 'deletions'): number =>
  subject.changes.reduce((total, change) => total + change[of], 0)

/** The address, and of every note that is changed its own: a rule for one folder must not reach into another. */
const addressesOf = ({ target, changes }: RuleSubject): string[] =>
  target.path.startsWith('memory/')
    ? [target.path]
    : [
        target.path,
        ...changes.filter(({ path }) => !path.startsWith('_bloom/')).map(({ path }) => `notes/${path}`),
      ]

function textsOf(field: ConditionField, subject: RuleSubject): readonly (string | null)[] {
  switch (field) {
    case 'action':
    case 'agent':
    case 'priority':
      return [subject[field]]
    case 'source.type':
      return [subject.source.type]
    case 'source.identity':
      return [subject.source.identity]
    case 'target.type':
      return [subject.target.type]
    case 'target.path':
      return addressesOf(subject)
    default:
      return subject.changes.map((change) => change.type)
  }
}

function passes(field: ConditionField, test: FieldTest, subject: RuleSubject): boolean {
  if (CONDITION_FIELDS[field] === 'number') {
    const count = field === 'files' ? subject.changes.length : sum(subject, field as 'additions')
    return numberPasses(test, count)
  }
  const texts = textsOf(field, subject)
  return texts.length > 0 && texts.every((text) => text !== null && textPasses(test, text))
}

/** Whether every test of the condition holds; one of a field that does not exist never does. */
export const matches = (condition: Condition, subject: RuleSubject): boolean => {
  const tests = Object.entries(condition)
  return (
    tests.length > 0 &&
    tests.every(
      ([field, test]) =>
        Object.hasOwn(CONDITION_FIELDS, field) && passes(field as ConditionField, test, subject),
    )
  )
}

/** Rules by ascending position. Those that are off or have ended are not evaluated. */
export function evaluateRules(rules: readonly ReadRule[], subject: RuleSubject): Evaluation {
  const trace: TraceEntry[] = []
  for (const rule of rules) {
    if (rule.mode === 'off' || rule.ended) continue
    const entry = entryOf(rule, subject)
    trace.push(entry)
    if (entry.outcome === 'no_match') continue
    return { trace, approving: entry.outcome === 'approved' ? rule : null }
  }
  return { trace, approving: null }
}

function entryOf({ rule_id, version, mode, condition }: ReadRule, subject: RuleSubject): TraceEntry {
  const entry = (matched: boolean, outcome: RuleOutcome, floor: Floor | null = null): TraceEntry => ({
    rule_id,
    version,
    mode,
    matched,
    outcome,
    floor,
  })
  if (condition === null) return entry(false, 'broken')
  if (!matches(condition, subject)) return entry(false, 'no_match')
  const floor = floorOf(subject)
  if (floor) return entry(true, 'floor', floor)
  return entry(true, mode === 'on' ? 'approved' : 'would_approve')
}
