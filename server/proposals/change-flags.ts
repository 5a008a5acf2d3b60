import sql, { type Sql } from 'sql-template-tag'
import type { ExtendInput } from '#contracts/proposal.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { type ProposalCommand, stateAllows } from '#domain/proposal/proposal-commands.rules.ts'
import type { Services } from '#server/composition/services.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { findProposal, type ProposalRow } from './proposal-row.ts'
import { auditName, invalidTransition, notFound, type Outcome } from './transition.ts'

const LONGEST_LIFE_DAYS = 30

type Flag = {
  id: string
  command: ProposalCommand
  set: Sql
  holds: Sql
  reason?: string
  details?: Record<string, unknown>
}

/** P17: the time to decide moves on, to at most 30 days after the creation (422 `LIMIT_EXCEEDED`). */
export async function extendProposal(
  { database }: Pick<Services, 'database'>,
  { proposal_id: id, hours, reason }: ExtendInput,
  actor: Caller,
): Promise<Result<Outcome>> {
  return database.transaction(async (tx) => {
    const { rows } = await tx.query<{ over: boolean }>(
      sql`SELECT expires_at + make_interval(hours => ${hours}) > created_at + make_interval(days => ${LONGEST_LIFE_DAYS}) AS over
        FROM proposal WHERE proposal_id = ${id} AND status = ANY(${statesOf('extend')}::text[]) FOR UPDATE`,
    )
    const set = sql`expires_at = expires_at + make_interval(hours => ${hours})`
    const flag = { id, command: 'extend' as const, set, holds: sql`false`, reason, details: { hours } }
    if (!rows[0]?.over) return setFlag(tx, flag, actor)
    const message = `A proposal waits ${LONGEST_LIFE_DAYS} days at most.`
    return refuse({ code: 'LIMIT_EXCEEDED', message, details: { limit_days: LONGEST_LIFE_DAYS } })
  })
}

/** P19: out of the default lists; nothing else changes. */
export const archiveProposal = (
  { database }: Pick<Services, 'database'>,
  { proposal_id: id }: { proposal_id: string },
  actor: Caller,
): Promise<Result<Outcome>> =>
  database.transaction((tx) =>
    setFlag(
      tx,
      {
        id,
        command: 'archive',
        set: sql`archived_at = clock_timestamp()`,
        holds: sql`archived_at IS NOT NULL`,
      },
      actor,
    ),
  )

/** P19, back again. */
export const unarchiveProposal = (
  { database }: Pick<Services, 'database'>,
  { proposal_id: id }: { proposal_id: string },
  actor: Caller,
): Promise<Result<Outcome>> =>
  database.transaction((tx) =>
    setFlag(
      tx,
      {
        id,
        command: 'unarchive',
        set: sql`archived_at = NULL`,
        holds: sql`archived_at IS NULL`,
        details: { archived: false },
      },
      actor,
    ),
  )

const statesOf = (command: ProposalCommand): string[] =>
  proposalMachine.states.filter((state) => stateAllows(command, state))

/** A command that changes no state: guarded by the states it is open in, recorded with the change. */
async function setFlag(tx: Db, flag: Flag, actor: Caller): Promise<Result<Outcome>> {
  const { rows } =
    await tx.query<ProposalRow>(sql`UPDATE proposal SET ${flag.set}, updated_at = clock_timestamp()
    WHERE proposal_id = ${flag.id} AND status = ANY(${statesOf(flag.command)}::text[]) AND NOT (${flag.holds}) RETURNING *`)
  const row = rows[0]
  if (!row) {
    const found = await findProposal(tx, flag.id)
    if (!found) return notFound()
    return stateAllows(flag.command, found.status)
      ? ok({ row: found, unchanged: true })
      : invalidTransition(tx, found, flag.command, actor)
  }
  await recordEvent(tx, {
    name: auditName(flag.command),
    actor,
    resource: { type: 'proposal', id: flag.id },
    refs: { proposal_id: flag.id, inbox_id: row.inbox_entry_id },
    ...(flag.reason ? { reason: flag.reason } : {}),
    details: flag.details ?? {},
  })
  return ok({ row, unchanged: false })
}
