/**
 * One output of step 02 on its way through the inbox, idempotent by the ids it is given. What the owner should see is returned as
 * refused; what may pass is thrown, so that the step tries again.
 */
import sql from 'sql-template-tag'
import { inboxMachine } from '#domain/inbox/inbox.machine.ts'
import { type ErrorCode, Refused, retryable } from '#domain/kernel/errors.ts'
import { type InboxServices, submitEntry } from '#server/inbox/submit-entry.ts'
import type { Row } from '#server/ledger/rows.ts'
import type { ProposedChange } from '#server/ports/agent-executor.ts'
import { agentCaller } from '../agent-caller.ts'

type Parts = InboxServices

export type OutputRequest = {
  runId: string
  index: number
  /** What names the output as a request, whichever run submits it. */
  correlationId: string
  proposalId: string
  inboxId: string
  agentSlug: string
  agentVersion: string
  safeOutputs: readonly string[]
  tainted: boolean
  baseRevision: string
  priority: 'normal' | 'high'
  change: ProposedChange
}
export type OutputOutcome =
  | { outcome: 'created' | 'reused'; proposalId: string; action: string; target: string }
  | { outcome: 'refused'; code: string; message: string; inboxId?: string }
  /** The agent has submitted as much as it may for now; the same output may come again after these seconds. */
  | { outcome: 'early'; seconds: number }

export async function submitOutput(parts: Parts, request: OutputRequest): Promise<OutputOutcome> {
  const { index: _, priority, change, correlationId, ...origin } = request
  const answer = await submitEntry(
    parts,
    {
      intent: { action: change.action, target: change.target, payload: payloadOf(change) },
      metadata: { correlation_id: correlationId, priority },
    },
    agentCaller(request.agentSlug),
    origin,
  )
  if (!answer.ok) {
    const { code, message, details, retryAfter } = answer.refusal
    if (code === 'RATE_LIMITED') return { outcome: 'early', seconds: retryAfter ?? 1 }
    if (retryable(code) && !PERMANENT.includes(code)) throw new Refused(code, message, details)
    const inboxId = (details as { inbox_id?: string } | undefined)?.inbox_id
    return { outcome: 'refused', code, message, ...(inboxId ? { inboxId } : {}) }
  }
  const { resolution, repeated, status, inbox_id } = answer.value
  if (resolution?.kind === 'proposal') {
    const { action, target } = change
    return { outcome: repeated ? 'reused' : 'created', proposalId: resolution.id, action, target }
  }
  if (status === inboxMachine.events.refuse.to) return refusedBefore(parts, inbox_id)
  throw new Error(`the entry ${inbox_id} is still ${status}`)
}

/** Refusals that a retry would meet again, though their codes are retryable in general. */
const PERMANENT: readonly ErrorCode[] = ['VERSION_CONFLICT', 'TARGET_CHANGED', 'STALE_REVIEW']

function payloadOf(change: ProposedChange): Record<string, unknown> {
  const { action, target: _, kind, ...rest } = change
  return action === 'propose-note' || action === 'propose-comment'
    ? { kind: kind ?? 'comment', ...rest }
    : rest
}

async function refusedBefore({ db }: Pick<Parts, 'db'>, inboxId: string): Promise<OutputOutcome> {
  const { rows } = await db.query<Row<'inbox_entry', 'reason_code' | 'reason'>>(
    sql`SELECT reason_code, reason FROM inbox_entry WHERE inbox_id = ${inboxId}`,
  )
  const code = rows[0]?.reason_code ?? 'INTERNAL_ERROR'
  return { outcome: 'refused', code, message: rows[0]?.reason ?? '', inboxId }
}
