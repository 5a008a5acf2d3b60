import sql from 'sql-template-tag'
import type { ProposalCounts } from '#contracts/proposal.contract.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { isInConflict } from '#domain/proposal/standing.rules.ts'
import { prepared } from '#server/ledger/prepared.ts'
import { state, states } from '#server/ledger/states.ts'
import type { Services } from '#server/services.ts'
import { currentContent, standingAgainst } from './current-content.ts'
import { PROPOSAL_ORDERS } from './list-proposals.query.ts'
import { waitsForDecision } from './proposal-row.ts'
import { changesOf } from './proposal-view.ts'

type Parts = Pick<Services, 'db' | 'garden' | 'reads'>

const PENDING = proposalMachine.events.create.to
/** What waits for a decision now. */
const TO_DECIDE = { status: PENDING, snoozed_until: null, awaiting_changes_since: null }
const WAITS = waitsForDecision('p')

/** Conflicts are counted over this many pending proposals; beyond it the number is "at least". */
const MAX_CHECKED = 500

/** Badges of the review queue: exact counts, conflicts exact up to 500 pending proposals. SQL: several counts in one pass. */
export async function countProposals(parts: Parts): Promise<ProposalCounts> {
  const [pending, decided, inConflict] = await Promise.all([
    countPending(parts),
    countDecided(parts),
    countConflicts(parts),
  ])
  return { ...pending, ...decided, in_conflict: { count: inConflict, exact: pending.waiting <= MAX_CHECKED } }
}

type PendingCounts = Omit<ProposalCounts, 'applying' | 'failed' | 'in_conflict'>

async function countPending({ db }: Parts): Promise<PendingCounts> {
  const { rows } = await db.query<PendingCounts>(
    prepared(sql`SELECT count(*) FILTER (WHERE ${WAITS}) AS waiting,
      count(*) FILTER (WHERE ${WAITS} AND expires_at <= clock_timestamp() + interval '24 hours') AS expiring_today,
      count(*) FILTER (WHERE ${WAITS} AND priority = 'high') AS high_priority,
      count(*) FILTER (WHERE ${WAITS} AND seen_at IS NULL) AS unseen,
      count(snoozed_until) AS snoozed,
      count(awaiting_changes_since) AS awaiting_changes
    FROM proposal p WHERE status = ${state(proposalMachine, PENDING)} AND archived_at IS NULL`),
  )
  return rows[0] as PendingCounts
}

type DecidedCounts = Pick<ProposalCounts, 'applying' | 'failed'>

async function countDecided({ db }: Parts): Promise<DecidedCounts> {
  const { rows } = await db.query<DecidedCounts>(
    prepared(sql`SELECT
      count(*) FILTER (WHERE status <> ${state(proposalMachine, 'FAILED')}) AS applying,
      count(*) FILTER (WHERE status = ${state(proposalMachine, 'FAILED')}) AS failed
    FROM proposal WHERE status IN ${states(proposalMachine, 'APPROVED', 'AUTO_APPROVED', 'APPLYING', 'FAILED')}`),
  )
  return rows[0] as DecidedCounts
}

async function countConflicts({ db, reads, garden }: Parts): Promise<number> {
  const pending = await reads.proposal.findMany({
    select: { proposal_id: true },
    // None of them is archived; asking for it would cost a visit to every row and a sort of all.
    where: TO_DECIDE,
    orderBy: PROPOSAL_ORDERS.to_decide.orderBy,
    take: MAX_CHECKED,
  })
  const changes = await changesOf(
    db,
    pending.map((row) => row.proposal_id),
  )
  if (changes.size === 0) return 0
  const content = await currentContent(garden)
  const standings = await Promise.all([...changes.values()].map((of) => standingAgainst(content, of)))
  return standings.filter(isInConflict).length
}
