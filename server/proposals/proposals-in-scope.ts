/** Which proposals a zone shows ([zones#what-a-guest-sees]): those of which neither a note nor a text that their diffs show lies outside it. */
import sql from 'sql-template-tag'
import { toNoteText } from '#domain/garden/note-text.rules.ts'
import { noteInScope, type ZoneScope } from '#domain/zone/zone-scope.rules.ts'
import { PATIENCE_MS } from '#server/garden/in-time.ts'
import { parsedInTime } from '#server/garden/read-note.ts'
import type { Row } from '#server/ledger/rows.ts'
import { changesInScope } from '#server/notes/changes-in-scope.ts'
import type { Services } from '#server/services.ts'
import { resultOfChange } from './normal-form.ts'
import { findProposal } from './proposal-row.ts'
import { changesOf } from './proposal-view.ts'

type Parts = Pick<Services, 'db' | 'garden'>
/** The texts of its changes may have stayed in the ledger. */
type Proposal = Row<'proposal', 'proposal_id' | 'base_revision' | 'git_commit' | 'changes'>

export async function proposalInScope(
  parts: Parts,
  scope: ZoneScope,
  proposal: Proposal,
  until = performance.now() + PATIENCE_MS,
): Promise<boolean> {
  if (!(await changesInScope(parts.garden, scope, proposal, until))) return false
  if (scope.tags.length === 0 || proposal.git_commit !== null) return true
  return resultInScope(parts, scope, proposal, until)
}

/** Those of these that it shows. */
export async function proposalsInScope(
  parts: Parts,
  scope: ZoneScope,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const [changes, { rows }] = await Promise.all([
    changesOf(parts.db, ids),
    parts.db.query<Omit<Proposal, 'changes'>>(
      sql`SELECT proposal_id, base_revision, git_commit FROM proposal WHERE proposal_id = ANY(${[...ids]}::text[])`,
    ),
  ])
  const until = performance.now() + PATIENCE_MS
  const shown = new Set<string>()
  for (const row of rows) {
    const proposal = { ...row, changes: changes.get(row.proposal_id) ?? [] }
    if (await proposalInScope(parts, scope, proposal, until)) shown.add(row.proposal_id)
  }
  return shown
}

/** Whether what changes without a commit would leave lies in the zone. */
async function resultInScope(
  { db, garden }: Parts,
  scope: ZoneScope,
  { proposal_id }: Proposal,
  until: number,
): Promise<boolean> {
  const row = await findProposal(db, proposal_id)
  if (!row) return false
  const shown = row.changes.map(async (change) => {
    const base = change.type === 'create' ? null : await garden.read(change.path, row.base_revision)
    const result = resultOfChange(change, base ? toNoteText(base.text) : null)
    if (!result.ok) return false
    if (result.value === null) return true
    const { tags } = await parsedInTime({ path: change.path, text: result.value }, until)
    return noteInScope(scope, change.path, tags)
  })
  return !(await Promise.all(shown)).includes(false)
}
