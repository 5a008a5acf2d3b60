import sql from 'sql-template-tag'
import type { Severity } from '#domain/alert/condition.ts'
import type { ConditionName, RuleName } from '#domain/alert/conditions.ts'
import type { AlertKit } from './alert-kit.ts'

/** A rule made to open its alert in a real ledger, and what ends that. */
export type Forced = {
  rule: RuleName
  condition: ConditionName
  resource: string
  severity: Severity
  value?: number
  force(kit: AlertKit): Promise<unknown>
  /** What leaves the alert as it is, where there is something between. */
  between?(kit: AlertKit): Promise<unknown>
  release(kit: AlertKit): Promise<unknown>
}

export const repeat = <T>(n: number, make: (i: number) => T): T[] =>
  Array.from({ length: n }, (_, i) => make(i))

/** Jobs that ended badly, at this moment. */
export const failedJobs = (kit: AlertKit, n: number, status: string, kind: string, at: Date) =>
  Promise.all(repeat(n, () => kit.job({ status, failure_kind: kind, finished_at: at })))

/** What the last probe of a component found, and since when. */
export const probe = (kit: AlertKit, component: string, status: string, since: Date) =>
  kit.change(sql`INSERT INTO component_health (component, status, checked_at, since) VALUES (${component}, ${status}, ${kit.now()}, ${since})
    ON CONFLICT (component) DO UPDATE SET status = excluded.status, checked_at = excluded.checked_at, since = excluded.since`)
