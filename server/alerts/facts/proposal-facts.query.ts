/** SQL: capped counts along the indexes of pending proposals, and a streak of events. */

import sql from 'sql-template-tag'
import { EXPIRING_SECONDS, WAITING_SECONDS } from '#domain/alert/windows.ts'
import { EVENT_NAMES } from '#domain/event/event-names.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { CONFLICT_FAILURES } from '#domain/proposal/proposal-commands.rules.ts'
import { state } from '#server/ledger/states.ts'
import { waitsForDecision } from '#server/proposals/proposal-row.ts'
import { ago, COUNT_CAP, type Fact, type FactParts } from './fact-parts.ts'

const PENDING = state(proposalMachine, 'PENDING')
/** Failures to apply that one look considers. */
const FAILURES = 200

export async function proposalFacts({ db, now }: FactParts): Promise<Fact[]> {
  const { applied, fail } = EVENT_NAMES.proposal
  const { rows } = await db.query<{ waiting: number; expiring: number; failed: number }>(sql`SELECT
    (SELECT count(*) FROM (SELECT 1 FROM proposal p WHERE ${waitsForDecision('p')} AND p.created_at < ${ago(now, WAITING_SECONDS)} LIMIT ${COUNT_CAP}) w) AS waiting,
    (SELECT count(*) FROM (SELECT 1 FROM proposal p WHERE p.status = ${PENDING} AND p.expires_at <= ${ago(now, -EXPIRING_SECONDS)} LIMIT ${COUNT_CAP}) x) AS expiring,
    (SELECT count(*) FROM (SELECT e.error_code FROM event e WHERE e.name = ${fail}
        AND e.id > coalesce((SELECT max(a.id) FROM event a WHERE a.name = ${applied}), 0) ORDER BY e.id DESC LIMIT ${FAILURES}) f
      WHERE f.error_code IS NULL OR f.error_code <> ALL(${CONFLICT_FAILURES}::text[])) AS failed`)
  const { waiting = 0, expiring = 0, failed = 0 } = rows[0] ?? {}
  return [
    { condition: 'proposals_waiting', resource: 'proposals', value: waiting },
    { condition: 'proposals_expiring', resource: 'proposals', value: expiring },
    { condition: 'applies', resource: 'apply_engine', value: failed },
  ]
}
