import sql from 'sql-template-tag'
import { validationRefusal } from '#contracts/error.contract.ts'
import { PAYLOADS } from '#contracts/inbox.contract.ts'
import { type Caller, GATEWAY } from '#domain/authority/caller.ts'
import { inboxMachine } from '#domain/inbox/inbox.machine.ts'
import { proposalId } from '#domain/kernel/ids.ts'
import { refuse } from '#domain/kernel/result.ts'
import { state } from '#server/ledger/states.ts'
import type { EntryRow } from './entry-row.ts'
import { refuseEntry } from './entry-transitions.ts'
import { originOf } from './origin.ts'
import { prepareEntry } from './prepare-entry.ts'
import { resolvePlan } from './resolve-plan.ts'
import type { InboxServices } from './submit-entry.ts'

type Parts = Omit<InboxServices, 'env'>

/** Who submitted the entry: only the owner's entries stay pending, an agent's step retries itself. */
const submitterOf = (row: EntryRow): Caller => ({ ...GATEWAY, role: 'owner', identity: row.source_identity })

/**
 * Retries entries that stayed pending because the garden did not answer ([inbox#states]), at start-up and every 2 s. Each passes the
 * admission checks 5–9 again; what it becomes is written under a lock on its row. Returns how many were resolved or rejected.
 */
export async function resolvePending(services: Parts, limit = 50): Promise<number> {
  const { rows } = await services.db.query<EntryRow>(sql`SELECT * FROM inbox_entry
    WHERE status = ${state(inboxMachine, 'pending')} AND expires_at > clock_timestamp() ORDER BY received_at LIMIT ${limit}`)
  let done = 0
  for (const row of rows) if (await resolveOne(services, row)) done++
  return done
}

async function resolveOne({ db, garden, entryHandlers }: Parts, row: EntryRow): Promise<boolean> {
  const action = row.action as keyof typeof PAYLOADS
  const id = proposalId(new Date(), crypto.randomUUID())
  const payload = PAYLOADS[action].safeParse(row.payload)
  const plan = payload.success
    ? await prepareEntry(
        { db, garden, entryHandlers },
        {
          action,
          target: row.target,
          payload: payload.data,
          proposalId: id,
          by: row.source_identity,
          at: row.received_at,
          baseRevision: undefined,
        },
      )
    : refuse(validationRefusal(payload.error))
  const actor = submitterOf(row)
  return db.transaction(async (tx) => {
    const locked =
      await tx.query(sql`SELECT 1 FROM inbox_entry WHERE inbox_id = ${row.inbox_id} AND status = ${state(inboxMachine, 'pending')}
      FOR UPDATE SKIP LOCKED`)
    if (locked.rows.length === 0) return false
    const what = { origin: originOf(actor), proposalId: id }
    const resolved = plan.ok
      ? await resolvePlan(tx, { garden, entryHandlers }, row, { ...what, plan: plan.value }, actor)
      : plan
    if (!resolved.ok) await refuseEntry(tx, row.inbox_id, resolved.refusal)
    return true
  })
}
