import { hostname } from 'node:os'
import sql, { type Sql } from 'sql-template-tag'
import { APPLY_ENGINE } from '#domain/authority/caller.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { isAlive } from '#server/launch/process-identity.mjs'
import { type Db, sqlState, UNIQUE_VIOLATION } from '#server/ledger/database.ts'
import { prepared } from '#server/ledger/prepared.ts'
import type { Row } from '#server/ledger/rows.ts'
import { state, states } from '#server/ledger/states.ts'
import { transition } from '#server/ledger/transition.ts'
import type { ProposalRow } from '#server/proposals/proposal-row.ts'

/** How long an engine may be silent before another one takes over. */
export const APPLY_LEASE_SECONDS = 60

const WAITING = states(proposalMachine, 'APPROVED', 'AUTO_APPROVED')
const APPLYING = state(proposalMachine, 'APPLYING')

const leased = (
  holder: string,
): Sql => sql`attempt = t.attempt + 1, fence = t.fence + 1, lease_holder = ${holder},
  lease_expires_at = clock_timestamp() + make_interval(secs => ${APPLY_LEASE_SECONDS}), version = t.version + 1`
const leaseDetails = sql`jsonb_build_object('attempt', m.attempt, 'fence', m.fence)`

/** First of its target's queue, and nothing of that target is being applied. */
const headOfQueue = sql`NOT EXISTS (SELECT 1 FROM proposal b WHERE b.target_key = o.target_key AND b.status = ${APPLYING})
  AND NOT EXISTS (SELECT 1 FROM proposal e WHERE e.target_key = o.target_key AND e.status IN ${WAITING}
    AND (e.decided_at, e.created_at, e.proposal_id) < (o.decided_at, o.created_at, o.proposal_id))`

/**
 * [proposals#P7] Takes the oldest decision whose hold is over and which is the head of its target's queue; null when there is none. The
 * unique index over targets that are being applied decides between two engines that see the same queue.
 */
export async function takeProposal(db: Db, holder: string): Promise<ProposalRow | null> {
  try {
    const [row] = await transition<ProposalRow, 'proposal'>(db, {
      machine: 'proposal',
      event: 'take',
      actor: APPLY_ENGINE,
      where: sql`coalesce(o.apply_not_before, '-infinity') <= clock_timestamp() AND ${headOfQueue}`,
      set: leased(holder),
      batch: { order: sql`o.decided_at, o.created_at, o.proposal_id`, limit: 1 },
      details: leaseDetails,
      prepared: true,
    })
    return row ?? null
  } catch (error) {
    if (sqlState(error) === UNIQUE_VIOLATION) return null
    throw error
  }
}

/** [proposals#P10] Takes over what an engine left behind: its lease is over, or its process is gone from this host. */
export async function retakeProposals(db: Db, holder: string, limit = 20): Promise<ProposalRow[]> {
  const { rows } = await db.query<Row<'proposal', 'lease_holder'>>(
    sql`SELECT DISTINCT p.lease_holder FROM proposal p WHERE p.status = ${APPLYING}`,
  )
  const gone = rows.map((row) => row.lease_holder ?? '').filter((other) => other && isGone(other))
  return transition<ProposalRow, 'proposal'>(db, {
    machine: 'proposal',
    event: 'retake',
    actor: APPLY_ENGINE,
    where: sql`o.lease_expires_at <= clock_timestamp() OR o.lease_holder = ANY(${gone}::text[])`,
    set: leased(holder),
    batch: { order: sql`o.decided_at, o.created_at, o.proposal_id`, limit },
    details: leaseDetails,
  })
}

/** True only when it is certain: a holder of this host whose process does not exist. Any doubt waits for the lease. */
function isGone(holder: string): boolean {
  const parts = holder.split(':')
  const pid = Number(parts.at(-2))
  const ofThisHost = parts.slice(0, -2).join(':') === hostname()
  return ofThisHost && Number.isInteger(pid) && pid > 0 && !isAlive(pid)
}

/**
 * Milliseconds until the hold of the next head of a queue is over (0 when it is over already), or null when no engine could take
 * anything: a decision behind another one of its target can be taken when that one is done.
 */
export async function nextApplyIn(db: Db): Promise<number | null> {
  const { rows } = await db.query<{ ms: number | null }>(
    prepared(sql`SELECT
      ceil(extract(epoch FROM min(coalesce(o.apply_not_before, o.decided_at)) - clock_timestamp()) * 1000)::float8 AS ms
    FROM proposal o WHERE o.status IN ${WAITING} AND ${headOfQueue}`),
  )
  const ms = rows[0]?.ms ?? null
  return ms === null ? null : Math.min(Math.max(ms, 0), 2 ** 31 - 1)
}
