/**
 * How a person's command changes a proposal ([proposals#transitions]).
 *
 * One guarded statement competes for the row. When it changes none, the row as it is now says why: the caller's own earlier command has
 * happened (`unchanged`), or the state does not allow it (409 `INVALID_TRANSITION` with what is allowed, recorded). So parallel approve,
 * reject and expire have one winner, and a double click is no error.
 */
import sql, { empty, type Sql } from 'sql-template-tag'
import type { Caller } from '#domain/authority/caller.ts'
import { EVENT_NAMES } from '#domain/event/event-names.ts'
import { allowed } from '#domain/kernel/machine.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { type ProposalEvent, proposalMachine } from '#domain/proposal/proposal.machine.ts'
import {
  PROPOSAL_COMMANDS,
  type ProposalCommand,
  type Superseding,
  stateAllows,
} from '#domain/proposal/proposal-commands.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import type { Row } from '#server/ledger/rows.ts'
import { transition } from '#server/ledger/transition.ts'
import { findProposal, type ProposalRow } from './proposal-row.ts'

export type Outcome = { row: ProposalRow; unchanged: boolean }

export type ProposalTransition = {
  id: string
  event: ProposalEvent
  actor: Caller
  /** Further guard over `o`. */
  guard?: Sql
  /** Further assignments over `t`, each followed by a comma. */
  set?: Sql
  reason?: string
  details?: Sql | Record<string, unknown>
}

export const notFound = (): Result<never> =>
  refuse({ code: 'NOT_FOUND', message: 'There is no such proposal.' })

/** Changes the row and increments its version; the row as it is afterwards, or null when the guard did not hold. */
export async function tryTransition(db: Db, t: ProposalTransition): Promise<ProposalRow | null> {
  const [row] = await transition<ProposalRow>(db, {
    machine: 'proposal',
    event: t.event,
    actor: t.actor,
    where: sql`o.proposal_id = ${t.id}${t.guard ? sql` AND ${t.guard}` : empty}`,
    set: sql`${t.set ?? empty} version = t.version + 1`,
    reason: t.reason,
    details: t.details,
    prepared: true,
  })
  return row ?? null
}

/** The transition, or the explanation of why it did not happen. */
export async function transitionProposal(db: Db, t: ProposalTransition): Promise<Result<Outcome>> {
  const row = await tryTransition(db, t)
  return row ? ok({ row, unchanged: false }) : explain(db, t)
}

/** Why the event did not happen: nothing there, done already by this actor, or not possible in this state (recorded). */
export async function explain(
  db: Db,
  t: Pick<ProposalTransition, 'id' | 'event' | 'actor'>,
): Promise<Result<Outcome>> {
  const row = await findProposal(db, t.id)
  if (!row) return notFound()
  if (row.status === proposalMachine.events[t.event].to && (await lastTransitionWas(db, t)))
    return ok({ row, unchanged: true })
  if (proposalMachine.events[t.event].from?.includes(row.status))
    return refuse({
      code: 'CONCURRENT_MODIFICATION',
      message: 'The proposal has just been changed. Reload it.',
    })
  return invalidTransition(db, row, t.event, t.actor)
}

async function lastTransitionWas(
  db: Db,
  t: Pick<ProposalTransition, 'id' | 'event' | 'actor'>,
): Promise<boolean> {
  const { rows } = await db.query<
    Row<'event', 'transition' | 'actor'>
  >(sql`SELECT transition, actor FROM event
    WHERE resource_type = 'proposal' AND resource_id = ${t.id} AND transition IS NOT NULL ORDER BY id DESC LIMIT 1`)
  return rows[0]?.transition === t.event && rows[0].actor === t.actor.identity
}

/** Commands that are no events of the machine. */
const AUDIT_NAMES: Record<Exclude<ProposalCommand | Superseding, ProposalEvent>, string> = {
  resubmit: 'proposal.resubmitted',
  extend: 'proposal.extended',
  snooze: 'proposal.snoozed',
  unsnooze: 'proposal.unsnoozed',
  revert: 'proposal.reverted',
  edit: 'proposal.edited',
  rebase: 'proposal.rebased',
  revise: 'proposal.revised',
  requestChanges: 'proposal.changes_requested',
  archive: 'proposal.archived',
  unarchive: 'proposal.archived',
}

/** The audit name of a command or event, also of a command that changes no state. */
export const auditName = (command: ProposalCommand | Superseding | ProposalEvent): string =>
  ({ ...EVENT_NAMES.proposal, ...AUDIT_NAMES })[command] ?? 'proposal.refused'

/** 409 `INVALID_TRANSITION {from, event, allowed[]}`, with its audit event. */
export async function invalidTransition(
  db: Db,
  row: Pick<ProposalRow, 'proposal_id' | 'status'>,
  event: ProposalCommand | Superseding | ProposalEvent,
  actor: Caller,
): Promise<Result<never>> {
  const commands = PROPOSAL_COMMANDS.filter((command) => stateAllows(command, row.status))
  const events = allowed(proposalMachine, row.status)
  await recordEvent(db, {
    name: auditName(event),
    actor,
    resource: { type: 'proposal', id: row.proposal_id },
    refs: { proposal_id: row.proposal_id },
    outcome: 'refused',
    errorCode: 'INVALID_TRANSITION',
    from: row.status,
    details: { event },
  })
  return refuse({
    code: 'INVALID_TRANSITION',
    message: `A proposal in state ${row.status} does not allow ${event}.`,
    details: { from: row.status, event, allowed: [...new Set<string>([...commands, ...events])] },
  })
}
