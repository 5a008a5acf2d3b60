import sql from 'sql-template-tag'
import type { NoteScope } from '#contracts/note.contract.ts'
import { toNoteText } from '#domain/garden/note-text.rules.ts'
import { ABSENT } from '#domain/proposal/conflict.rules.ts'
import { noteInScope, pathsInScope } from '#domain/zone/zone-scope.rules.ts'
import { PATIENCE_MS } from '#server/garden/in-time.ts'
import { tagsInTime } from '#server/garden/note-tags.ts'
import { parsedInTime } from '#server/garden/read-note.ts'
import type { Row } from '#server/ledger/rows.ts'
import { resultOfChange } from '#server/proposals/normal-form.ts'
import { findProposal, type StoredChange } from '#server/proposals/proposal-row.ts'
import { changesOf } from '#server/proposals/proposal-view.ts'
import type { Services } from '#server/services.ts'

type Parts = Pick<Services, 'db'> & { garden: Pick<Services['garden'], 'read' | 'head'> }
/** A proposal with its changes; their texts may have stayed in the ledger. */
type Changes = Row<'proposal', 'proposal_id' | 'base_revision' | 'git_commit'> & {
  changes: readonly Pick<StoredChange, 'path' | 'type' | 'base_hash'>[]
}
type Scope = NonNullable<NoteScope>

/**
 * Whether all the changes of a proposal lie in a zone ([zones#what-a-guest-sees]): every note as it is now and, in a zone of tags, as it was
 * before the change and as the change made it, since the diff shows both texts.
 */
export async function changesInScope(
  parts: Parts,
  scope: Scope,
  proposal: Changes,
  until = performance.now() + PATIENCE_MS,
): Promise<boolean> {
  const { garden } = parts
  const paths = pathsOf(proposal.changes)
  if (scope.tags.length === 0) return pathsInScope(scope, paths, () => [])
  const shownAt = async (some: readonly string[], revision: string) => {
    const tags = await tagsInTime(garden, some, revision, until)
    return some.every((path) => noteInScope(scope, path, tags.get(path) ?? []))
  }
  if (paths.length === 0 || !(await shownAt(paths, await garden.head()))) return false
  const changed = proposal.changes.filter(({ type }) => type !== 'create')
  if (!(await madeOn(garden, changed, proposal.base_revision))) return false
  if (!(await shownAt(pathsOf(changed), proposal.base_revision))) return false
  const left = pathsOf(proposal.changes.filter(({ type }) => type !== 'delete'))
  if (proposal.git_commit !== null) return shownAt(left, proposal.git_commit)
  return resultInScope(parts, scope, proposal, until)
}

/** Those of these proposals of which that is so. */
export async function proposalsInScope(
  parts: Parts,
  scope: Scope,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const [changes, { rows }] = await Promise.all([
    changesOf(parts.db, ids),
    parts.db.query<Omit<Changes, 'changes'>>(
      sql`SELECT proposal_id, base_revision, git_commit FROM proposal WHERE proposal_id = ANY(${[...ids]}::text[])`,
    ),
  ])
  const until = performance.now() + PATIENCE_MS
  const shown = new Set<string>()
  for (const row of rows) {
    const proposal = { ...row, changes: changes.get(row.proposal_id) ?? [] }
    if (await changesInScope(parts, scope, proposal, until)) shown.add(row.proposal_id)
  }
  return shown
}

const pathsOf = (changes: Changes['changes']): string[] => changes.map(({ path }) => path)

/** Whether the diffs show the texts of this revision: what an edited approval left out was made on a text that no revision need have. */
async function madeOn(
  garden: Parts['garden'],
  changes: Changes['changes'],
  revision: string,
): Promise<boolean> {
  const files = await Promise.all(changes.map(({ path }) => garden.read(path, revision)))
  return changes.every(({ base_hash }, i) => (files[i]?.sha256 ?? ABSENT) === base_hash)
}

/** The same of the texts that changes without a commit would leave. */
async function resultInScope(
  { db, garden }: Parts,
  scope: Scope,
  { proposal_id }: Changes,
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
