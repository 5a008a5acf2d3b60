import sql from 'sql-template-tag'
import type { ProposalCounts } from '#contracts/proposal.contract.ts'
import { isInConflict } from '#domain/proposal/standing.rules.ts'
import type { Services } from '#server/composition/services.ts'
import { currentContent, standingAgainst } from './current-content.ts'
import { ITEM_COLUMNS, type ItemRow } from './proposal-item.ts'

/** Conflicts are counted over the first this many that wait; beyond it the number is "at least". */
const LOOKED_AT = 500

/** What waits for a decision (APPROVAL-UX, "arrive"): exact counts, conflicts exact up to 500 waiting ones. */
export async function countProposals({
  db,
  garden,
}: Pick<Services, 'db' | 'garden'>): Promise<ProposalCounts> {
  const { rows } = await db.query<
    Omit<ProposalCounts, 'in_conflict' | 'applying' | 'failed'>
  >(sql`SELECT count(*) AS waiting,
      count(*) FILTER (WHERE expires_at <= clock_timestamp() + interval '24 hours') AS expiring_today,
      count(*) FILTER (WHERE priority = 'high') AS high_priority,
      count(*) FILTER (WHERE seen_at IS NULL) AS unseen
    FROM proposal WHERE status = 'PENDING' AND archived_at IS NULL`)
  const { rows: under } = await db.query<{ applying: number; failed: number }>(sql`SELECT
      count(*) FILTER (WHERE status <> 'FAILED') AS applying, count(*) FILTER (WHERE status = 'FAILED') AS failed
    FROM proposal WHERE status IN ('APPROVED', 'AUTO_APPROVED', 'APPLYING', 'FAILED')`)
  const counts = rows[0] ?? { waiting: 0, expiring_today: 0, high_priority: 0, unseen: 0 }
  const in_conflict = { count: await conflicts(db, garden), exact: counts.waiting <= LOOKED_AT }
  return { ...counts, ...(under[0] ?? { applying: 0, failed: 0 }), in_conflict }
}

async function conflicts(db: Services['db'], garden: Services['garden']): Promise<number> {
  const { rows } = await db.query<ItemRow>(sql`SELECT ${ITEM_COLUMNS} FROM (
    SELECT * FROM proposal WHERE status = 'PENDING' AND archived_at IS NULL ORDER BY priority, expires_at, proposal_id LIMIT ${LOOKED_AT}) p`)
  if (rows.length === 0) return 0
  const content = await currentContent(garden)
  const standings = await Promise.all(rows.map((row) => standingAgainst(content, row.changes)))
  return standings.filter(isInConflict).length
}
