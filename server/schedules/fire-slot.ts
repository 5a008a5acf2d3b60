/**
 * One slot of one agent, fired exactly once ([schedules#I-S1]): the row of the slot, the inbox entry, the run and what came of it commit
 * together. Whoever finds the row there has lost, or came later; a refusal is an outcome, too, and is not tried again.
 */
import sql from 'sql-template-tag'
import type { RunParams } from '#contracts/run-commands.contract.ts'
import { triggerFault } from '#domain/agent/trigger.rules.ts'
import { schedulerOf } from '#domain/authority/caller.ts'
import { type InboxServices, submitEntry } from '#server/inbox/submit-entry.ts'
import type { Db } from '#server/ledger/database.ts'

export type Slot = {
  slug: string
  /** `cron:<instant>` or `event:<event id>`. */
  slot: string
  trigger: 'cron' | 'event'
  /** The agents whose work led here. */
  chain: readonly string[]
  params: RunParams
}
export type FireParts = InboxServices & { failpoint?(name: string): void }

/** `known` when the slot has been decided before. */
export async function fireSlot(parts: FireParts, slot: Slot): Promise<'fired' | 'refused' | 'known'> {
  return parts.db.transaction(async (tx) => {
    const { rowCount } = await tx.query(sql`INSERT INTO agent_slot (agent_slug, slot, trigger, chain)
      VALUES (${slot.slug}, ${slot.slot}, ${slot.trigger}, ${[...slot.chain]}::text[]) ON CONFLICT DO NOTHING`)
    if (!rowCount) return 'known'
    parts.failpoint?.('slot-inserted')
    const fault = triggerFault(slot.slug, slot.chain)
    const started = fault ? { refused: fault } : await start(parts, tx, slot)
    const { runId = null, refused = null } = started as { runId?: string; refused?: string }
    await tx.query(sql`UPDATE agent_slot SET run_id = ${runId}, refused = ${refused}
      WHERE agent_slug = ${slot.slug} AND slot = ${slot.slot}`)
    return runId ? 'fired' : 'refused'
  })
}

async function start(
  parts: FireParts,
  tx: Db,
  { slug, slot, trigger, params }: Slot,
): Promise<{ runId: string } | { refused: string }> {
  const intent = { action: 'propose-artifact' as const, target: `agents/${slug}`, payload: { params } }
  const answer = await submitEntry(
    { ...parts, db: tx },
    { intent, metadata: { correlation_id: `${slug}:${slot}` } },
    schedulerOf(slug),
    { sourceType: 'cron', trigger },
  )
  if (!answer.ok) return { refused: answer.refusal.code }
  const id = answer.value.resolution?.id
  return id ? { runId: id } : { refused: 'STORAGE_UNAVAILABLE' }
}
