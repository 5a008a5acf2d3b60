import type { z } from 'zod'
import type { editPayload, notePayload, summaryPayload, tagPayload } from '#contracts/inbox.contract.ts'
import type { Citation } from '#contracts/proposal.contract.ts'
import { isNotePath } from '#domain/garden/garden-path.ts'
import { commentPath, summaryPath, type Target } from '#domain/garden/target.rules.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import type { Diff } from '#domain/proposal/conflict.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import type { DraftChange } from '#server/proposals/normal-form.ts'
import { draftTags } from './draft-tags.ts'
import { agentExists, artifactExists } from './known-targets.query.ts'

/** What an entry asks for, before it is brought to normal form (contract page 01, section 1.2). */
export type Draft = {
  target: { type: string; path: string }
  /** Every path of these is replaced in the content digest, because it holds the proposal's own id. */
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
  /** The revision an agent's run was pinned to. */
  baseRevision: string | undefined
}

type Told = { summary: string; reasoning: string; citations: Citation[]; entity_refs: string[] }
const toldOf = (p: Told) => ({
  summary: p.summary,
  reasoning: p.reasoning,
  citations: p.citations,
  entityRefs: p.entity_refs,
})
const notAllowed = (message: string): Result<never> => refuse({ code: 'PATH_NOT_ALLOWED', message })
const based = (
  change: { path: string; diff: Diff; base_hash?: string | undefined },
  context: DraftContext,
) => ({
  path: change.path,
  diff: change.diff,
  ...(change.base_hash ? { baseHash: change.base_hash } : {}),
  ...(context.baseRevision ? { baseRevision: context.baseRevision } : {}),
})

/** `propose-edit`: an existing note, or a file of an agent. Every file of the change lies in the same space as the target. */
export function draftEdit(context: DraftContext, payload: z.infer<typeof editPayload>): Result<Draft> {
  const { target } = context
  if (target.space !== 'notes' && target.space !== 'agents')
    return notAllowed('An edit needs a note or a file of an agent.')
  if (!target.path) return notAllowed('An edit needs a file of the agent.')
  const changes = payload.changes ?? [
    { path: target.path as string, diff: payload.diff as Diff, base_hash: payload.base_hash },
  ]
  const folder = target.space === 'agents' ? `agents/${target.slug}/` : null
  const stray = changes.find((c) => (folder ? !c.path.startsWith(folder) : !isNotePath(c.path)))
  if (stray) return notAllowed(`A change leaves the space of its target: ${stray.path.slice(0, 200)}`)
  if (!changes.some((c) => c.path === target.path)) return notAllowed('The target is not among the changes.')
  return ok({
    target: { type: target.space === 'agents' ? 'agent' : 'note', path: context.address },
    ownPath: null,
    ...toldOf(payload),
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
    if (target.space !== 'notes') return notAllowed('A new note needs an address below notes/.')
    const change = based({ path: target.path, diff: { type: 'create', text } }, context)
    return ok({
      target: { type: 'note', path: address },
      ownPath: null,
      ...toldOf(payload),
      changes: [change],
    })
  }
  if (target.space === 'memory' || target.space === 'logic')
    return notAllowed('There is nothing to comment on.')
  const missing = await missingTarget(context)
  if (missing) return missing
  const path = commentPath(target.space === 'notes' ? target.path : address, proposalId)
  const change = { path, diff: { type: 'create', text } as const }
  return ok({
    target: { type: 'comment', path: address },
    ownPath: path,
    ...toldOf(payload),
    changes: [change],
  })
}

/** `propose-summary`: creates or replaces the summary of a note. */
export async function draftSummary(
  context: DraftContext,
  payload: z.infer<typeof summaryPayload>,
): Promise<Result<Draft>> {
  const { target, address } = context
  if (target.space !== 'notes') return notAllowed('Only notes have summaries.')
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
    ...toldOf(payload),
    changes: [{ path, diff }],
  })
}

/** `propose-tag`: tags of a note live in its frontmatter, tags of an artifact in a file of annotations. */
export async function draftTag(
  context: DraftContext,
  payload: z.infer<typeof tagPayload>,
): Promise<Result<Draft>> {
  const { target, address } = context
  if (target.space !== 'notes' && target.space !== 'artifacts')
    return notAllowed('Only notes and artifacts carry tags.')
  const missing = await missingTarget(context)
  if (missing) return missing
  const change = await draftTags(context, target, payload)
  if (!change.ok) return change
  const named = [...payload.add.map((t) => `+${t}`), ...payload.remove.map((t) => `-${t}`)].join(' ')
  const summary = payload.summary ?? `Tags: ${named}`.slice(0, 200)
  const told = toldOf({ ...payload, summary })
  return ok({ target: { type: 'tag', path: address }, ownPath: null, ...told, changes: [change.value] })
}

/** 404 `TARGET_NOT_FOUND` when the thing that is commented on, tagged or summed up is not there. */
async function missingTarget({ db, garden, head, target }: DraftContext): Promise<Result<never> | null> {
  const no = () => refuse({ code: 'TARGET_NOT_FOUND', message: 'The target does not exist.' })
  if (target.space === 'artifacts') return (await artifactExists(db, target.artifactId)) ? null : no()
  if (target.space === 'agents' && !target.path) return (await agentExists(db, target.slug)) ? null : no()
  const path = 'path' in target ? target.path : null
  return path && (await garden.read(path, head)) ? null : no()
}
