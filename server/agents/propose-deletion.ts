import sql from 'sql-template-tag'
import type { AgentDeleteInput, AgentDeletion } from '#contracts/agent.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { type InboxServices, submitEntry } from '#server/inbox/submit-entry.ts'
import { definitionPath } from './read-definition.ts'

/**
 * Proposes to delete the file of an archived agent; runs and artifacts stay. When the proposal is applied, the sync makes the agent
 * `deleted` ([agents#transitions]). A second request finds the first proposal.
 */
export async function proposeDeletion(
  parts: InboxServices,
  { slug, confirm, reason }: AgentDeleteInput,
  caller: Caller,
): Promise<Result<AgentDeletion>> {
  if (confirm !== slug) {
    const details = [{ field: 'confirm', message: 'must repeat the slug' }]
    return refuse({ code: 'VALIDATION_FAILED', message: 'Repeat the slug to delete the agent.', details })
  }
  const { rows } = await parts.db.query(sql`SELECT 1 FROM agent WHERE slug = ${slug}`)
  if (rows.length === 0) return refuse({ code: 'NOT_FOUND', message: 'There is no such agent.' })
  const payload = {
    diff: { type: 'delete' },
    summary: `Delete agent ${slug}`,
    reasoning: reason || 'The owner deletes the agent. Its runs and artifacts stay.',
  }
  const intent = { action: 'propose-edit' as const, target: definitionPath(slug), payload }
  const submitted = await submitEntry(parts, { intent }, { ...caller, correlationId: crypto.randomUUID() })
  if (submitted.ok) {
    const id = submitted.value.resolution?.id
    if (id) return ok({ slug, proposal_id: id, unchanged: false })
    return refuse({ code: 'STORAGE_UNAVAILABLE', message: 'The garden does not answer. Try again later.' })
  }
  const { code, details } = submitted.refusal
  const known = code === 'DUPLICATE_ENTRY' ? (details as { proposal_id?: string }).proposal_id : undefined
  return known ? ok({ slug, proposal_id: known, unchanged: true }) : submitted
}
