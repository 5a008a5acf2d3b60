import type { z } from 'zod'
import type { artifactPayload, InboxAction, PAYLOADS } from '#contracts/inbox.contract.ts'
import type { GardenPath } from '#domain/garden/garden-path.ts'
import { parseTarget, type Target } from '#domain/garden/target.rules.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { locatePath } from '#server/garden/locate-path.ts'
import type { Db } from '#server/ledger/database.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { normalForm } from '#server/proposals/normal-form.ts'
import type { StoredChange } from '#server/proposals/proposal-row.ts'
import { definitionFault } from './definition-fault.ts'
import { type Draft, type DraftContext, draftEdit, draftNote, draftSummary } from './draft.ts'
import { draftTag } from './draft-tags.ts'
import type { EntryHandlers } from './entry-handlers.ts'

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
  by: string
  at: Date
  /** The revision an agent's run was pinned to. */
  baseRevision: string | undefined
}

/** Admission checks 5–7 ([inbox#admission-checks]), in order, against the garden as it is now. The payload fits its schema. */
export async function prepareEntry(
  { db, garden, entryHandlers }: { db: Db; garden: GitRepository; entryHandlers: EntryHandlers },
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
    ...(await spelled(garden, head, target.value, intent.target)),
    proposalId: intent.proposalId,
    by: intent.by,
    at: intent.at,
    baseRevision: intent.baseRevision,
  })
  if (!draft.ok) return draft
  const changes = await normalForm(garden, head, draft.value.changes)
  if (!changes.ok) return changes
  const fault = await definitionFault({ db, garden, entryHandlers }, head, changes.value)
  if (fault) return refuse(fault)
  return ok({ kind: 'proposal', draft: draft.value, changes: changes.value, baseRevision: head })
}

/** Target and address as the garden spells the file, in whatever normal form they were typed. */
async function spelled(garden: GitRepository, head: string, target: Target, address: string) {
  if (!('path' in target) || target.path === null) return { target, address }
  const path = (await locatePath(garden, head, target.path)).path as GardenPath
  return { target: { ...target, path }, address: target.space === 'agents' ? path : `notes/${path}` }
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
      return draftNote(context, payload as z.infer<(typeof PAYLOADS)[typeof action]>)
    case 'propose-summary':
      return draftSummary(context, payload as z.infer<(typeof PAYLOADS)['propose-summary']>)
    case 'propose-tag':
      return draftTag(context, payload as z.infer<(typeof PAYLOADS)['propose-tag']>)
    default:
      return refuse({ code: 'VALIDATION_FAILED', message: `${action} is not available yet.` })
  }
}
