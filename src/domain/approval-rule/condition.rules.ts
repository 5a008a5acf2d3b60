/**
 * The condition of an approval rule ([approval-rules#conditions]): a map of dotted proposal fields to tests, all of which must hold. What
 * cannot be read is refused with the field and the reason; nothing is ignored, because a test that is left out widens a rule.
 */
import { ok, type Result, refuse } from '../kernel/result.ts'
import { globMatches, isOnlyWildcards } from './glob.rules.ts'

export type TextTest = string | { in: readonly string[] } | { prefix: string } | { glob: string }
export type NumberTest = number | { in: readonly number[] } | { lte?: number; gte?: number }
export type FieldTest = TextTest | NumberTest
export type Condition = Readonly<Record<string, FieldTest>>

/** The fields of a proposal that a condition may name, and what they hold. */
export const CONDITION_FIELDS = {
  action: 'text',
  agent: 'text',
  priority: 'text',
  'source.type': 'text',
  'source.identity': 'text',
  'target.type': 'text',
  /** The address, and with it the address of every note that the proposal changes. */
  'target.path': 'text',
  'changes.type': 'text',
  files: 'number',
  additions: 'number',
  deletions: 'number',
} as const
export type ConditionField = keyof typeof CONDITION_FIELDS

export const CONDITION_LIMITS = { values: 50, text: 1100, glob: 200, number: 1_000_000 } as const

type Fault = { field: string; message: string }
type Read = FieldTest | { fault: string }
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= CONDITION_LIMITS.text
const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= CONDITION_LIMITS.number

/** Reads a condition as it was sent or stored; 422 with one detail for each fault. */
export function parseCondition(value: unknown): Result<Condition> {
  if (!isRecord(value)) return refused([{ field: 'condition', message: 'must be a map of fields' }])
  const entries = Object.entries(value)
  if (entries.length === 0)
    return refused([{ field: 'condition', message: 'must not be empty: name at least one field' }])
  const condition: Record<string, FieldTest> = {}
  const faults: Fault[] = []
  for (const [field, given] of entries) {
    const read = readTest(field, given)
    if (isRecord(read) && 'fault' in read)
      faults.push({ field: `condition.${field.slice(0, 64)}`, message: String(read.fault) })
    else condition[field] = read as FieldTest
  }
  if (faults.length > 0) return refused(faults)
  const logic = namesLogic(condition)
  if (logic)
    return refused([
      { field: `condition.${logic}`, message: 'changes of agent logic are never approved by a rule' },
    ])
  return ok(condition)
}

function refused(details: Fault[]): Result<never> {
  const first = details[0] as Fault
  return refuse({ code: 'VALIDATION_FAILED', message: `${first.field} ${first.message}.`, details })
}

function readTest(field: string, given: unknown): Read {
  if (!Object.hasOwn(CONDITION_FIELDS, field))
    return { fault: `is no field of a proposal; there are ${Object.keys(CONDITION_FIELDS).join(', ')}` }
  return CONDITION_FIELDS[field as ConditionField] === 'text' ? readText(given) : readNumber(given)
}

const ONE_OPERATOR = 'needs a value or exactly one of in, prefix, glob'

function readText(given: unknown): Read {
  if (isText(given)) return given
  if (!isRecord(given)) return { fault: ONE_OPERATOR }
  const [[operator, value] = [], ...more] = Object.entries(given)
  if (more.length > 0) return { fault: ONE_OPERATOR }
  if (operator === 'in') return readList(value, isText)
  if (operator === 'prefix') return isText(value) ? { prefix: value } : { fault: 'prefix must be a text' }
  if (operator === 'glob') return readGlob(value)
  return { fault: ONE_OPERATOR }
}

function readGlob(value: unknown): Read {
  if (!isText(value) || value.length > CONDITION_LIMITS.glob)
    return { fault: `glob must be a text of at most ${CONDITION_LIMITS.glob} characters` }
  return isOnlyWildcards(value) ? { fault: 'glob must name at least one character' } : { glob: value }
}

function readNumber(given: unknown): Read {
  if (isCount(given)) return given
  if (!isRecord(given)) return { fault: 'needs a number, in, lte or gte' }
  const names = Object.keys(given)
  if (names.length === 1 && names[0] === 'in') return readList(given.in, isCount)
  const known = names.every((name) => name === 'lte' || name === 'gte')
  if (names.length === 0 || !known || !names.every((name) => isCount(given[name])))
    return { fault: 'needs a number, in, lte or gte' }
  const { lte, gte } = given as { lte?: number; gte?: number }
  if (lte !== undefined && gte !== undefined && gte > lte) return { fault: 'gte must not exceed lte' }
  return { ...(lte === undefined ? {} : { lte }), ...(gte === undefined ? {} : { gte }) }
}

function readList<T extends string | number>(value: unknown, is: (one: unknown) => one is T): Read {
  const good =
    Array.isArray(value) && value.length > 0 && value.length <= CONDITION_LIMITS.values && value.every(is)
  return good
    ? ({ in: [...value] } as FieldTest)
    : { fault: `in needs 1 to ${CONDITION_LIMITS.values} values` }
}

/** Whether a text passes the test. */
export function textPasses(test: FieldTest, text: string): boolean {
  if (typeof test !== 'object') return test === text
  if ('in' in test) return (test.in as readonly unknown[]).includes(text)
  if ('prefix' in test) return text.startsWith(test.prefix)
  return 'glob' in test && globMatches(test.glob, text)
}

/** Whether a number passes the test. */
export function numberPasses(test: FieldTest, count: number): boolean {
  if (typeof test !== 'object') return test === count
  if ('in' in test) return (test.in as readonly unknown[]).includes(count)
  if ('prefix' in test || 'glob' in test) return false
  return count <= (test.lte ?? Number.POSITIVE_INFINITY) && count >= (test.gte ?? 0)
}

/** The words that a test of text names. */
const namedBy = (test: FieldTest): string[] => {
  if (typeof test !== 'object') return [String(test)]
  if ('in' in test) return test.in.map(String)
  return 'prefix' in test ? [test.prefix] : 'glob' in test ? [test.glob] : []
}

/** The field by which a condition names the logic of agents, or null. One that only could match it is stored; the floor refuses it. */
function namesLogic(condition: Condition): ConditionField | null {
  const { action, 'target.type': type, 'target.path': path } = condition
  if (action !== undefined && namedBy(action).some((word) => word.toLowerCase().startsWith('logic-')))
    return 'action'
  if (type !== undefined && namedBy(type).includes('logic')) return 'target.type'
  if (path !== undefined && namedBy(path).some((word) => word.toLowerCase().startsWith('logic/')))
    return 'target.path'
  return null
}

/** True unless the condition leaves no room for a proposal of an agent; such a rule needs a daily cap and an end. */
export function mayMatchAgents(condition: Condition): boolean {
  const { 'source.type': type, 'source.identity': identity } = condition
  if (type !== undefined && !textPasses(type, 'agent')) return false
  if (identity === undefined || (typeof identity === 'object' && 'glob' in identity)) return true
  return namedBy(identity).some((word) => word.startsWith('agent:') || 'agent:'.startsWith(word))
}
