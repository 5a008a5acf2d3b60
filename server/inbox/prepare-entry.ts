import type { z } from 'zod'
import type { artifactPayload, InboxAction, PAYLOADS } from '#contracts/inbox.contract.ts'
import { parseTarget } from '#domain/garden/target.rules.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Db } from '#server/ledger/database.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { normalForm } from '#server/proposals/normal-form.ts'
import type { StoredChange } from '#server/proposals/proposal-row.ts'
import { type Draft, type DraftContext, draftEdit, draftNote, draftSummary } from './draft.ts'
import { draftTag } from './draft-tags.ts'

/** What an entry becomes once the admission checks 5–7 have passed. */
export type Plan =
  | { kind: 'proposal'; draft: Draft; changes: StoredChange[]; baseRevision: string }
  | { kind: 'run'; agentSlug: string; params: Record<string, unknown> }
  | {
      kind: 'job'
      agentSlug: string
      jobType: string
      payload: Record<string, unknown>
      jobId: string | undefined
    }

export type Intent = {
  action: InboxAction
  target: string
  payload: unknown
  proposalId: string
  /** The revision an agent's run was pinned to. */
  baseRevision: string | undefined
}

/** Admission checks 5–7 ([inbox#admission-checks]), in order, against the garden as it is now. The payload fits its schema. */
export async function prepareEntry(
  { db, garden }: { db: Db; garden: GitRepository },
  intent: Intent,
): Promise<Result<Plan>> {
  const target = parseTarget(intent.target)
  if (!target.ok) return target
  if (intent.action === 'propose-artifact') {
    return target.value.space === 'agents' && !target.value.path
      ? ok(workPlan(target.value.slug, intent.payload as z.infer<typeof artifactPayload>))
      : refuse({ code: 'PATH_NOT_ALLOWED', message: 'Address an agent to start work.' })
  }
  const head = await garden.head()
  const draft = await draftOf(intent.action, intent.payload, {
    db,
    garden,
    head,
    address: intent.target,
    target: target.value,
    proposalId: intent.proposalId,
    baseRevision: intent.baseRevision,
  })
  if (!draft.ok) return draft
  const changes = await normalForm(garden, head, draft.value.changes)
  if (!changes.ok) return changes
  return ok({ kind: 'proposal', draft: draft.value, changes: changes.value, baseRevision: head })
}

function workPlan(agentSlug: string, payload: z.infer<typeof artifactPayload>): Plan {
  return payload.job_type === undefined
    ? { kind: 'run', agentSlug, params: payload.params }
    : {
        kind: 'job',
        agentSlug,
        jobType: payload.job_type,
        payload: payload.payload ?? {},
        jobId: payload.job_id,
      }
}

async function draftOf(action: InboxAction, payload: unknown, context: DraftContext): Promise<Result<Draft>> {
  switch (action) {
    case 'propose-edit':
      return draftEdit(context, payload as z.infer<(typeof PAYLOADS)['propose-edit']>)
    case 'propose-note':
    case 'propose-comment':
      return draftNote(context, payload as z.infer<(typeof PAYLOADS)['propose-note']>)
    case 'propose-summary':
      return draftSummary(context, payload as z.infer<(typeof PAYLOADS)['propose-summary']>)
    case 'propose-tag':
      return draftTag(context, payload as z.infer<(typeof PAYLOADS)['propose-tag']>)
    default:
      return refuse({ code: 'VALIDATION_FAILED', message: `${action} is not available yet.` })
  }
}
