/** A rule as its form holds it, and back. What the form has no field for stays in `others` as JSON, so that no test of a rule is lost. */
import type { CreateRule, RuleView } from '#contracts/approval-rule.contract.ts'

export type RuleValues = {
  name: string
  agent: string
  action: string
  path: string
  lines: string
  others: string
  cap: string
  /** Days from now, `never`, or `keep`. */
  end: string
}

export const ENDS = ['30', '90', '365', 'never'] as const
export const EMPTY: RuleValues = {
  name: '',
  agent: '',
  action: '',
  path: '',
  lines: '',
  others: '',
  cap: '20',
  end: '90',
}

/** Where one begins: each is off until its dry run. */
export const TEMPLATES: Readonly<Record<'owner' | 'tags' | 'webhook', Partial<RuleValues>>> = {
  owner: { others: '{ "source.identity": "owner" }', cap: '', end: 'never' },
  tags: { action: 'propose-tag', others: '{ "source.type": "agent" }' },
  webhook: { others: '{ "source.identity": "webhook:my-source" }' },
}

type Test = unknown
const isRecord = (value: Test): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null
/** The one operand of a test with this operator alone. */
function only<T extends 'string' | 'number'>(test: Test, operator: string, type: T): string | null {
  if (!isRecord(test) || Object.keys(test).join() !== operator) return null
  return typeof test[operator] === type ? String(test[operator]) : null
}

export function valuesOf(rule: RuleView): RuleValues {
  const rest = { ...rule.condition }
  const take = (field: string, value: string | null): string => {
    if (value !== null) delete rest[field]
    return value ?? ''
  }
  const text = (field: string) => take(field, typeof rest[field] === 'string' ? String(rest[field]) : null)
  return {
    name: rule.name,
    agent: text('agent'),
    action: text('action'),
    path: take('target.path', only(rest['target.path'], 'prefix', 'string')),
    lines: take('additions', only(rest.additions, 'lte', 'number')),
    others: Object.keys(rest).length > 0 ? JSON.stringify(rest, null, 2) : '',
    cap: rule.daily_cap === null ? '' : String(rule.daily_cap),
    end: 'keep',
  }
}

/** The content as it is sent, or that the other conditions are no JSON object. */
export function contentOf(
  values: RuleValues,
  { now, kept }: { now: number; kept: string | null },
): { ok: true; content: CreateRule } | { ok: false; field: 'others' } {
  const others = othersOf(values.others)
  if (!others) return { ok: false, field: 'others' }
  const condition = {
    ...(values.agent.trim() ? { agent: values.agent.trim() } : {}),
    ...(values.action ? { action: values.action } : {}),
    ...(values.path.trim() ? { 'target.path': { prefix: values.path.trim() } } : {}),
    ...(values.lines.trim() ? { additions: { lte: Number(values.lines) } } : {}),
    ...others,
  }
  const days = Number(values.end)
  const expires_at =
    values.end === 'keep'
      ? kept
      : values.end === 'never'
        ? null
        : new Date(now + days * 86_400_000).toISOString()
  const daily_cap = values.cap.trim() === '' ? null : Number(values.cap)
  return { ok: true, content: { name: values.name.trim(), condition, daily_cap, expires_at } }
}

function othersOf(text: string): Record<string, unknown> | null {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}

/** A condition in one line: `action = propose-tag · target.path begins notes/Log/`. */
export const conditionText = (condition: Readonly<Record<string, unknown>>): string =>
  Object.entries(condition)
    .map(([field, test]) => `${field} ${testText(test)}`)
    .join(' · ')

function testText(test: unknown): string {
  if (!isRecord(test)) return `= ${String(test)}`
  const signs: Record<string, string> = { in: '∈', prefix: '=', glob: '~', lte: '≤', gte: '≥' }
  return Object.entries(test)
    .map(([operator, operand]) =>
      operator === 'prefix'
        ? `= ${String(operand)}…`
        : `${signs[operator] ?? operator} ${Array.isArray(operand) ? operand.join(', ') : String(operand)}`,
    )
    .join(' ')
}
