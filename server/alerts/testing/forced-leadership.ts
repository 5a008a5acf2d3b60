/** The rules about leases, each forced. */
import sql from 'sql-template-tag'
import { type AlertKit, SECOND } from './alert-kit.ts'
import type { Forced } from './forced.ts'

/** What the newest look at a project's lease found. */
const lease = (kit: AlertKit, cells: Record<string, unknown>) =>
  kit.add('membridge_lease', {
    ...{ lease_state: 'valid', epoch: 5, term: 2, remaining_seconds: 3_600, observed_at: kit.now() },
    ...cells,
  })
const MISSING = {
  rule: 'LeaderMissing',
  condition: 'leader_missing',
  severity: 'critical',
  value: 1,
} as const
const healed = (kit: AlertKit) =>
  kit.change(sql`UPDATE membridge_lease SET lease_state = 'valid', answered = true, needs_ui_selection = false, incidents = '[]',
    remaining_seconds = 3600, observed_at = ${kit.now()}`)
/** Without an answer of the store nothing is known, for better or worse. */
const unanswered = (kit: AlertKit) =>
  kit.change(
    sql`UPDATE membridge_lease SET lease_state = 'unreadable', answered = false, remaining_seconds = NULL`,
  )

export const FORCED_LEADERSHIP: readonly Forced[] = [
  {
    ...{ ...MISSING, resource: 'expired' },
    async force(kit) {
      await lease(kit, { canonical_id: 'expired', remaining_seconds: 10, observed_at: kit.ago(11 * SECOND) })
      await lease(kit, { canonical_id: 'led' })
      await lease(kit, { canonical_id: 'new', lease_state: 'absent', epoch: null, remaining_seconds: null })
      await lease(kit, { canonical_id: 'silent', lease_state: 'unreadable', answered: false })
    },
    between: unanswered,
    release: healed,
  },
  {
    ...{ ...MISSING, resource: 'flagged' },
    force: (kit) => lease(kit, { canonical_id: 'flagged', needs_ui_selection: true }),
    release: healed,
  },
  {
    ...{ ...MISSING, resource: 'damaged' },
    force: (kit) => lease(kit, { canonical_id: 'damaged', lease_state: 'unreadable', fault: 'not JSON' }),
    release: healed,
  },
  {
    ...{ rule: 'TermRegression', condition: 'lease_incidents', resource: 'overwritten' },
    ...{ severity: 'critical', value: 2 },
    force: (kit) =>
      lease(kit, {
        canonical_id: 'overwritten',
        incidents: '[{"kind":"epoch_regression","from":5,"to":1},{"kind":"term_regression","from":2,"to":1}]',
      }),
    between: (kit) => kit.change(sql`UPDATE membridge_lease SET incidents = '[{"kind":"lease_vanished"}]'`),
    release: healed,
  },
]
