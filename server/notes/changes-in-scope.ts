import type { NoteScope } from '#contracts/note.contract.ts'
import { ABSENT } from '#domain/proposal/conflict.rules.ts'
import { noteInScope, pathsInScope } from '#domain/zone/zone-scope.rules.ts'
import { PATIENCE_MS } from '#server/garden/in-time.ts'
import { tagsInTime } from '#server/garden/note-tags.ts'
import type { Row } from '#server/ledger/rows.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'

type Garden = Pick<GitRepository, 'read' | 'head'>
/** A proposal with its changes; their texts may have stayed in the ledger. */
type Changes = Row<'proposal', 'base_revision' | 'git_commit'> & {
  changes: readonly Pick<Row<'proposal', 'changes'>['changes'][number], 'path' | 'type' | 'base_hash'>[]
}
type Scope = NonNullable<NoteScope>

/**
 * Whether all the changes of a proposal lie in a zone ([zones#what-a-guest-sees]): every note as it is now, so that it stands there at all, and, in
 * a zone of tags, as it was before the change and as its commit left it, since the diff shows both texts. What one without a commit would leave is
 * not looked at here.
 */
export async function changesInScope(
  garden: Garden,
  scope: Scope,
  proposal: Changes,
  until = performance.now() + PATIENCE_MS,
): Promise<boolean> {
  const paths = pathsOf(proposal.changes)
  // Folders are decided without reading a note.
  if (scope.folders.length > 0 && !pathsInScope({ ...scope, tags: [] }, paths, () => [])) return false
  if (scope.tags.length === 0) return pathsInScope(scope, paths, () => []) && standNow(garden, proposal)
  const shownAt = async (some: readonly string[], revision: string) => {
    const tags = await tagsInTime(garden, some, revision, until)
    return some.every((path) => noteInScope(scope, path, tags.get(path) ?? []))
  }
  if (paths.length === 0 || !(await shownAt(paths, await garden.head()))) return false
  const changed = proposal.changes.filter(({ type }) => type !== 'create')
  if (!(await madeOn(garden, changed, proposal.base_revision))) return false
  if (!(await shownAt(pathsOf(changed), proposal.base_revision))) return false
  const left = pathsOf(proposal.changes.filter(({ type }) => type !== 'delete'))
  return proposal.git_commit === null || shownAt(left, proposal.git_commit)
}

const pathsOf = (changes: Changes['changes']): string[] => changes.map(({ path }) => path)

/** A note that is not there any more has left the zone with its past; one that is only proposed lies where it would stand. */
async function standNow(garden: Garden, { changes, git_commit }: Changes): Promise<boolean> {
  const asked = pathsOf(changes.filter(({ type }) => type !== 'create' || git_commit !== null))
  const head = await garden.head()
  return !(await Promise.all(asked.map((path) => garden.read(path, head)))).includes(null)
}

/** Whether the diffs show the texts of this revision: what an edited approval left out was made on a text that no revision need have. */
async function madeOn(garden: Garden, changes: Changes['changes'], revision: string): Promise<boolean> {
  const files = await Promise.all(changes.map(({ path }) => garden.read(path, revision)))
  return changes.every(({ base_hash }, i) => (files[i]?.sha256 ?? ABSENT) === base_hash)
}
