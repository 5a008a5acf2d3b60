/**
 * What a proposal may do to `agents/<slug>/_agent.md` ([inbox#admission-checks] 7): a definition without errors, whose version has risen; a
 * new one only under a slug that was never used; and only an archived agent loses its file. Asked when it is proposed, by whatever way, and
 * by the Apply Engine of what the commit would hold.
 */
import sql from 'sql-template-tag'
import type { AgentProblem } from '#contracts/agent.contract.ts'
import { agentMachine } from '#domain/agent/agent.machine.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { resultOfChange } from '#server/proposals/normal-form.ts'
import type { StoredChange } from '#server/proposals/proposal-row.ts'
import type { EntryHandlers } from './entry-handlers.ts'

/** The path of a definition, and its slug. */
export const DEFINITION = /^agents\/([^/]+)\/_agent\.md$/
/** The code of a problem of the model alone; everything else is VALIDATION_FAILED. */
const MODEL_PROBLEM = 'model_unavailable'

type JudgeParts = { db: Db; entryHandlers: Pick<EntryHandlers, 'definitionErrors'> }
type Parts = JudgeParts & { garden: GitRepository }

/** Why these changes may not be proposed, or null. */
export async function definitionFault(
  parts: Parts,
  head: string,
  changes: readonly StoredChange[],
): Promise<Refusal | null> {
  for (const change of changes) {
    if (!DEFINITION.test(change.path)) continue
    const before = (await parts.garden.read(change.path, head))?.text ?? null
    const after = resultOfChange(change, before)
    if (!after.ok) return after.refusal
    const fault = await resultFault(parts, { path: change.path, before, after: after.value })
    if (fault) return fault
  }
  return null
}

/** What becomes of one file: its text now and its text then; null where there is none. */
export type FileResult = { path: string; before: string | null; after: string | null }

/** Why the file may not become this, or null; always null for a file that is no definition. */
export async function resultFault(
  { db, entryHandlers }: JudgeParts,
  { path, before, after }: FileResult,
): Promise<Refusal | null> {
  const slug = DEFINITION.exec(path)?.[1]
  if (!slug) return null
  const { rows } = await db.query<Row<'agent', 'status'>>(sql`SELECT status FROM agent WHERE slug = ${slug}`)
  const status = rows[0]?.status
  if (after === null) return status === agentMachine.events.archive.to ? null : notArchived(slug, status)
  if (status === agentMachine.events.delete.to) return slugUsed(slug)
  return problemsRefusal(path, entryHandlers.definitionErrors({ slug, text: after, before }))
}

function problemsRefusal(path: string, errors: readonly AgentProblem[]): Refusal | null {
  const [first] = errors
  if (!first) return null
  const code = errors.every((p) => p.code === MODEL_PROBLEM) ? 'MODEL_UNAVAILABLE' : 'VALIDATION_FAILED'
  const where = first.line === null ? '' : `Line ${first.line}: `
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  return { code, message: `${where}${first.message}${more}`, details: { path, problems: errors } }
}

const notArchived = (slug: string, status: string | undefined): Refusal => ({
  code: 'INVALID_AGENT_TRANSITION',
  message: `Archive the agent ${slug} before deleting it.`,
  details: { from: status ?? null, event: 'delete' },
})

const slugUsed = (slug: string): Refusal => ({
  code: 'TARGET_EXISTS',
  message: `An agent ${slug} was deleted, and its runs keep the name. Choose another slug.`,
})
