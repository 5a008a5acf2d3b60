/** Commands that change no state: extend, archive, unarchive, mark as seen; snoozing has a file of its own. */
import sql, { empty, type Sql } from 'sql-template-tag'
import type { ExtendInput } from '#contracts/proposal-commands.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { recordOf } from '#domain/event/record.rules.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { PROPOSAL_RECORD, type ProposalFlag } from '#domain/proposal/proposal.record.ts'
import { type ProposalCommand, statesAllowing } from '#domain/proposal/proposal-commands.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { states } from '#server/ledger/states.ts'
import type { Services } from '#server/services.ts'
import { findProposal, type ProposalRow } from './proposal-row.ts'
import { auditName, invalidTransition, notFound, type Outcome } from './transition-proposal.ts'

type ById = { proposal_id: string }

const MAX_LIFE_DAYS = 30

export type Flag = {
  id: string
  command: ProposalFlag
  set: Sql
  /** The outcome holds already: the command is answered with `unchanged`. */
  holds: Sql
  /** Further guard; where it alone did not hold, `unmet` says why. */
  guard?: Sql
  unmet?: (row: ProposalRow) => Result<Outcome> | null
  reason?: string
  details?: Record<string, unknown>
}

/** [proposals#P17] Moves the expiry, to at most 30 days after the creation (422 `LIMIT_EXCEEDED`). */
export const extendProposal = (
  { db }: Pick<Services, 'db'>,
  { proposal_id: id, hours, reason }: ExtendInput,
  actor: Caller,
): Promise<Result<Outcome>> =>
  db.transaction(async (tx) => {
    const { rows } = await tx.query<{ over: boolean }>(
      sql`SELECT expires_at + make_interval(hours => ${hours}) > created_at + make_interval(days => ${MAX_LIFE_DAYS}) AS over
        FROM proposal WHERE proposal_id = ${id} AND status IN ${allowing('extend')} FOR UPDATE`,
    )
    const set = sql`expires_at = expires_at + make_interval(hours => ${hours})`
    const flag = { id, command: 'extend' as const, set, holds: sql`false`, reason, details: { hours } }
    if (!rows[0]?.over) return setFlag(tx, flag, actor)
    const message = `A proposal can wait at most ${MAX_LIFE_DAYS} days. Choose fewer hours.`
    return refuse({ code: 'LIMIT_EXCEEDED', message, details: { limit_days: MAX_LIFE_DAYS } })
  })

/** [proposals#P19] Hides the proposal from the default lists; nothing else changes. */
export const archiveProposal = (
  { db }: Pick<Services, 'db'>,
  { proposal_id: id }: ById,
  actor: Caller,
): Promise<Result<Outcome>> => {
  const [set, holds] = [sql`archived_at = clock_timestamp()`, sql`archived_at IS NOT NULL`]
  return db.transaction((tx) => setFlag(tx, { id, command: 'archive', set, holds }, actor))
}

/** [proposals#P19] Shows it in the default lists again. */
export const unarchiveProposal = (
  { db }: Pick<Services, 'db'>,
  { proposal_id: id }: ById,
  actor: Caller,
): Promise<Result<Outcome>> => {
  const [set, holds] = [sql`archived_at = NULL`, sql`archived_at IS NULL`]
  const details = { archived: false }
  return db.transaction((tx) => setFlag(tx, { id, command: 'unarchive', set, holds, details }, actor))
}

/** Records that the owner had this on screen; the first time counts. True when it was the first time. */
export async function markSeen({ db }: Pick<Services, 'db'>, { proposal_id: id }: ById): Promise<boolean> {
  const { rowCount } = await db.query(
    sql`UPDATE proposal SET seen_at = clock_timestamp() WHERE proposal_id = ${id} AND seen_at IS NULL`,
  )
  return (rowCount ?? 0) > 0
}

const allowing = (command: ProposalCommand): Sql => states(proposalMachine, ...statesAllowing(command))

/** Guarded by the states that allow the command, recorded in the same transaction. */
export async function setFlag(tx: Db, flag: Flag, actor: Caller): Promise<Result<Outcome>> {
  const { rows } =
    await tx.query<ProposalRow>(sql`UPDATE proposal SET ${flag.set}, updated_at = clock_timestamp()
    WHERE proposal_id = ${flag.id} AND status IN ${allowing(flag.command)} AND NOT (${flag.holds})${flag.guard ? sql` AND ${flag.guard}` : empty} RETURNING *`)
  const row = rows[0]
  if (!row) return unflagged(tx, flag, actor)
  await recordEvent(tx, {
    name: auditName(flag.command),
    actor,
    resource: { type: 'proposal', id: flag.id },
    refs: { proposal_id: flag.id, inbox_id: row.inbox_entry_id },
    ...(flag.reason ? { reason: flag.reason } : {}),
    details: { ...flag.details, record: recordOf(PROPOSAL_RECORD[flag.command], row) },
  })
  return ok({ row, unchanged: false })
}

/** Why the flag was not set: no such proposal, a state that does not allow it, or it is set already. */
async function unflagged(tx: Db, { id, command, unmet }: Flag, actor: Caller): Promise<Result<Outcome>> {
  const row = await findProposal(tx, id)
  if (!row) return notFound()
  if (!statesAllowing(command).includes(row.status)) return invalidTransition(tx, row, command, actor)
  return unmet?.(row) ?? ok({ row, unchanged: true })
}
