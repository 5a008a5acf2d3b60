import type { AuditListInput } from '#contracts/audit.contract.ts'

export const AUDIT_FILTERS = ['event', 'outcome', 'resource_id', 'actor'] as const

const OUTCOMES: readonly string[] = ['ok', 'refused', 'error']

/** The list's input from the URL; the server and the browser build it alike. */
export function auditInput(
  values: Readonly<Record<string, string | null | undefined>>,
): Omit<AuditListInput, 'limit'> {
  const { event, outcome, resource_id, actor } = values
  return {
    ...(event ? { event } : {}),
    ...(outcome && OUTCOMES.includes(outcome) ? { outcome: outcome as AuditListInput['outcome'] } : {}),
    ...(resource_id ? { resource_id } : {}),
    ...(actor ? { actor } : {}),
  }
}
