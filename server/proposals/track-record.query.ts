import sql from 'sql-template-tag'
import type { TrackRecord } from '#contracts/track-record.contract.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import type { Row } from '#server/ledger/rows.ts'
import { states } from '#server/ledger/states.ts'
import type { Services } from '#server/services.ts'
import { iso } from './proposal-view.ts'

const LATEST = 20
const REFUSED = states(proposalMachine, 'REJECTED', 'DISCARDED')
/** What an edit or a rebase took the place of was not rejected: its successor is what was decided. */
const DECIDED_BY_HAND = sql`decision_mode = 'manual' AND NOT relations ? 'superseded_by'`

/** How an agent's proposals were decided by hand: of the last 20 and 90 days in numbers, the latest one by one. Along one index. */
export async function trackRecord(
  { db }: Pick<Services, 'db'>,
  { agent }: { agent: string },
): Promise<TrackRecord> {
  const [counts, latest] = await Promise.all([
    db.query<Record<'approved_20' | 'decided_20' | 'approved_90' | 'decided_90', number>>(sql`SELECT
        count(*) FILTER (WHERE recent AND approved) AS approved_20, count(*) FILTER (WHERE recent) AS decided_20,
        count(*) FILTER (WHERE approved) AS approved_90, count(*) AS decided_90
      FROM (SELECT decided_at > clock_timestamp() - interval '20 days' AS recent, status NOT IN ${REFUSED} AS approved
        FROM proposal WHERE agent_slug = ${agent} AND decided_at > clock_timestamp() - interval '90 days'
          AND ${DECIDED_BY_HAND}) AS decision`),
    db.query<Latest>(sql`SELECT proposal_id, summary, decided_at, status NOT IN ${REFUSED} AS approved
      FROM proposal WHERE agent_slug = ${agent} AND decided_at IS NOT NULL AND ${DECIDED_BY_HAND} ORDER BY decided_at DESC LIMIT ${LATEST}`),
  ])
  const n = counts.rows[0] ?? { approved_20: 0, decided_20: 0, approved_90: 0, decided_90: 0 }
  return {
    agent,
    last_20_days: { approved: n.approved_20, decided: n.decided_20 },
    last_90_days: { approved: n.approved_90, decided: n.decided_90 },
    latest: latest.rows.map(({ decided_at, ...row }) => ({ ...row, decided_at: iso(decided_at as Date) })),
  }
}

type Latest = Pick<Row<'proposal'>, 'proposal_id' | 'summary' | 'decided_at'> & { approved: boolean }
