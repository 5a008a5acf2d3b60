import type { ConditionName } from '../alert/conditions.ts'

/** What may wait for a person ([needs#kinds]). */
export const NEED_KINDS = [
  'proposal',
  'failed_proposal',
  'question',
  'agent',
  'component',
  'project',
  'dead_jobs',
  'alert',
] as const
export type NeedKind = (typeof NEED_KINDS)[number]

/** Conditions of alerts, by the kind of need that says the same: whoever sees that kind is not told twice. */
export const SAID_BY = {
  proposal: ['proposals_waiting', 'proposals_expiring'],
  failed_proposal: [],
  question: [],
  agent: ['agent_failures'],
  component: ['nlm_down', 'storage_down'],
  project: ['leader_missing'],
  dead_jobs: ['dead_jobs'],
  alert: [],
} as const satisfies Record<NeedKind, readonly ConditionName[]>

const DAY_MS = 86_400_000

export type Need = {
  kind: NeedKind
  /** Since when it waits; null where nobody knows. */
  since: Date | null
  /** When it ends by itself, undecided. */
  expires: Date | null
}

/**
 * The order in which a person should look: what expires within a day, the next first; then what went wrong, the newest first; then what is to be
 * reviewed, as it came.
 */
export function inOrderOfUrgency<T extends Need>(needs: readonly T[], now: Date): T[] {
  const isExpiring = ({ expires }: Need) => expires !== null && expires.getTime() < now.getTime() + DAY_MS
  const expiring = needs.filter(isExpiring)
  const others = needs.filter((need) => !isExpiring(need))
  const timeOf = (date: Date | null) => date?.getTime() ?? 0
  return [
    ...expiring.toSorted((a, b) => timeOf(a.expires) - timeOf(b.expires)),
    ...others.filter(({ kind }) => kind !== 'proposal').toSorted((a, b) => timeOf(b.since) - timeOf(a.since)),
    ...others.filter(({ kind }) => kind === 'proposal'),
  ]
}
