import type { AuditListInput } from '#contracts/audit.contract.ts'

export const AUDIT_FILTERS = ['event', 'outcome', 'q', 'resource_id', 'actor', 'from', 'to'] as const

/** The day in UTC, as the address names it; nothing for what is no day. */
const dayOf = (text: string | null | undefined, days = 0): string | null => {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text ?? '') ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return Number.isNaN(at) ? null : new Date(at + days * 86_400_000).toISOString()
}

const OUTCOMES: readonly string[] = ['ok', 'refused', 'error']

/** The list's input from the URL; the server and the browser build it alike. */
export function auditInput(
  values: Readonly<Record<string, string | null | undefined>>,
): Omit<AuditListInput, 'limit'> {
  const { event, outcome, resource_id, actor, q } = values
  const [from, to] = [dayOf(values.from), dayOf(values.to, 1)]
  return {
    ...(event ? { event } : {}),
    ...(outcome && OUTCOMES.includes(outcome) ? { outcome: outcome as AuditListInput['outcome'] } : {}),
    ...(resource_id ? { resource_id } : {}),
    ...(actor ? { actor } : {}),
    ...(q ? { q: q.slice(0, 200) } : {}),
    ...(from ? { from } : {}),
    ...(to ? { to } : {}),
  }
}
