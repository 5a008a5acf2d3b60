import type { z } from 'zod'
import type { editPayload, notePayload, summaryPayload } from '#contracts/inbox.contract.ts'
import type { Citation } from '#contracts/proposal-body.contract.ts'
import { isNotePath, sameName } from '#domain/garden/garden-path.ts'
import { commentPath, summaryPath, type Target } from '#domain/garden/target.rules.ts'
import { cutText } from '#domain/kernel/cut-text.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Diff } from '#domain/proposal/conflict.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import type { DraftChange } from '#server/proposals/normal-form.ts'
import { missingTarget } from './known-targets.query.ts'

/** What an entry asks for, before its changes are brought to normal form ([inbox#actions]). */
export type Draft = {
  target: { type: string; path: string }
  /** The path that holds the proposal's own id; the content digest leaves it out. */
  ownPath: string | null
  summary: string
  reasoning: string
  citations: Citation[]
  entityRefs: string[]
  changes: DraftChange[]
}

export type DraftContext = {
  db: Db
  garden: GitRepository
  head: string
  address: string
  target: Target
  proposalId: string
  /** Who asks, and when; kept beside tags that are added to an artifact. */
  by: string
  at: Date
  /** The revision an agent's run was pinned to. */
  baseRevision: string | undefined
}

type Stated = { summary: string; reasoning: string; citations: Citation[]; entity_refs: string[] }
export const statedOf = (p: Stated) => ({
  summary: p.summary,
  reasoning: p.reasoning,
  citations: p.citations,
  entityRefs: p.entity_refs,
})
export const pathNotAllowed = (message: string): Result<never> =>
  refuse({ code: 'PATH_NOT_ALLOWED', message })
const based = (
  change: { path: string; diff: Diff; base_hash?: string | undefined },
  context: DraftContext,
) => ({
  path: change.path,
  diff: change.diff,
  ...(change.base_hash ? { baseHash: change.base_hash } : {}),
  ...(context.baseRevision ? { baseRevision: context.baseRevision } : {}),
})

/**
 * `propose-edit`: a note or a file of an agent that exists, so that who may only edit makes no file of that name. Every file of the change
 * lies in the same space as the target; the others may be new.
 */
export async function draftEdit(
  context: DraftContext,
  payload: z.infer<typeof editPayload>,
): Promise<Result<Draft>> {
  const { target } = context
  if (target.space !== 'notes' && target.space !== 'agents')
    return pathNotAllowed('An edit needs a note or a file of an agent.')
  if (!target.path) return pathNotAllowed('An edit needs a file of the agent.')
  const changes = payload.changes ?? [
    { path: target.path as string, diff: payload.diff as Diff, base_hash: payload.base_hash },
  ]
  const folder = target.space === 'agents' ? `agents/${target.slug}/` : null
  const stray = changes.find((c) => (folder ? !c.path.startsWith(folder) : !isNotePath(c.path)))
  if (stray) return pathNotAllowed(`A change leaves the space of its target: ${cutText(stray.path, 200)}`)
  if (!changes.some((c) => sameName(c.path, target.path as string)))
    return pathNotAllowed('The target is not among the changes.')
  const missing = await missingTarget(context)
  if (missing) return missing
  return ok({
    target: { type: target.space === 'agents' ? 'agent' : 'note', path: context.address },
    ownPath: null,
    ...statedOf(payload),
    changes: changes.map((change) => based(change, context)),
  })
}

const textOf = (p: { text?: string | undefined; diff?: Diff | undefined }): string | null => {
  if (p.text !== undefined) return p.text
  return p.diff && 'text' in p.diff ? p.diff.text : null
}

/** `propose-note`, `propose-comment`: a new file, or a comment beside its target. */
export async function draftNote(
  context: DraftContext,
  payload: z.infer<typeof notePayload>,
): Promise<Result<Draft>> {
  const { target, address, proposalId } = context
  const text = textOf(payload)
  if (text === null) return refuse({ code: 'DIFF_INVALID', message: 'A note or comment needs its text.' })
  if (payload.kind === 'note') {
    if (target.space !== 'notes' && target.space !== 'agents')
      return pathNotAllowed('A new file needs an address below notes/ or agents/.')
    if (!target.path) return pathNotAllowed('A new file of an agent needs its path.')
    const change = based({ path: target.path, diff: { type: 'create', text } }, context)
    return ok({
      target: { type: target.space === 'agents' ? 'agent' : 'note', path: address },
      ownPath: null,
      ...statedOf(payload),
      changes: [change],
    })
  }
  if (target.space === 'memory' || target.space === 'logic')
    return pathNotAllowed('There is nothing to comment on.')
  const missing = await missingTarget(context)
  if (missing) return missing
  const path = commentPath(address, proposalId)
  const change = { path, diff: { type: 'create', text } as const, isKnownPath: true }
  return ok({
    target: { type: 'comment', path: address },
    ownPath: path,
    ...statedOf(payload),
    changes: [change],
  })
}

/** `propose-summary`: creates or replaces the summary of a note. */
export async function draftSummary(
  context: DraftContext,
  payload: z.infer<typeof summaryPayload>,
): Promise<Result<Draft>> {
  const { target, address } = context
  if (target.space !== 'notes') return pathNotAllowed('Only notes have summaries.')
  const missing = await missingTarget(context)
  if (missing) return missing
  const body = textOf(payload)
  if (body === null) return refuse({ code: 'DIFF_INVALID', message: 'A summary needs its text.' })
  const path = summaryPath(target.path)
  const text = body.startsWith('---\n')
    ? body
    : `---\nsummary_of: ${JSON.stringify(target.path)}\n---\n${body}`
  const exists = (await context.garden.read(path, context.head)) !== null
  const diff: Diff = exists ? { type: 'replace', text } : { type: 'create', text }
  return ok({
    target: { type: 'note', path: address },
    ownPath: null,
    ...statedOf(payload),
    changes: [{ path, diff, isKnownPath: true }],
  })
}
