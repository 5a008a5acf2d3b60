import sql from 'sql-template-tag'
import { type InboxAction, PAYLOADS } from '#contracts/inbox.contract.ts'
import { type Caller, GATEWAY } from '#domain/authority/caller.ts'
import { inboxMachine } from '#domain/inbox/inbox.machine.ts'
import { proposalId } from '#domain/kernel/ids.ts'
import { type EntryRow, refuseEntry } from './entry-row.ts'
import { originOf } from './origin.ts'
import { prepareEntry } from './prepare-entry.ts'
import { resolvePlan } from './resolve-plan.ts'
import type { InboxServices } from './submit-entry.ts'

/** The person whose entry waits: only the owner's entries wait, an agent's step repeats by itself. */
const submitterOf = (row: EntryRow): Caller => ({ ...GATEWAY, role: 'owner', identity: row.source_identity })

/**
 * Takes up entries that wait because the garden did not answer (contract page 01, section 1.3); at start-up and every 2 s. Each
 * passes the checks 5–9 anew, in a transaction that holds its row. Returns how many were resolved or rejected.
 */
export async function resolvePending(services: InboxServices, limit = 50): Promise<number> {
  const { rows } = await services.db.query<EntryRow>(sql`SELECT * FROM inbox_entry
    WHERE status = ANY(${[...inboxMachine.initial]}::text[]) AND expires_at > clock_timestamp() ORDER BY received_at LIMIT ${limit}`)
  let done = 0
  for (const row of rows) if (await resolveOne(services, row)) done++
  return done
}

async function resolveOne({ db, garden, starters }: InboxServices, row: EntryRow): Promise<boolean> {
  const action = row.action as InboxAction & keyof typeof PAYLOADS
  const id = proposalId(new Date(), crypto.randomUUID())
  const plan = await prepareEntry(
    { db, garden },
    {
      action,
      target: row.target,
      payload: PAYLOADS[action].parse(row.payload),
      proposalId: id,
      baseRevision: undefined,
    },
  )
  const actor = submitterOf(row)
  return db.transaction(async (tx) => {
    const held =
      await tx.query(sql`SELECT 1 FROM inbox_entry WHERE inbox_id = ${row.inbox_id} AND status = ${row.status}
      FOR UPDATE SKIP LOCKED`)
    if (held.rows.length === 0) return false
    const what = { origin: originOf(actor), proposalId: id }
    const resolved = plan.ok
      ? await resolvePlan(tx, starters, row, { ...what, plan: plan.value }, actor)
      : plan
    if (!resolved.ok) await refuseEntry(tx, row.inbox_id, resolved.refusal)
    return true
  })
}
