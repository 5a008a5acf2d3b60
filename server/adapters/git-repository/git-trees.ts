import { fileKey, parseGardenPath } from '#domain/garden/garden-path.ts'
import { Refused } from '#domain/kernel/errors.ts'
import type { GitEntry } from '#server/ports/git-repository.ts'
import type { GitObjects, TreeEntry } from './git-objects.ts'
import type { ObjectDraft } from './object-draft.ts'

/** Walking, changing and comparing trees. An unchanged folder keeps its id, so a change costs the folders on its way. */
type Change = { parts: string[]; blob: string | null }
export type Difference = { path: string; kind: 'added' | 'modified' | 'removed' }

const not = (message: string): never => {
  throw new Refused('PATH_NOT_ALLOWED', message)
}

/** Every file below a tree, in byte order of the paths. */
export async function filesBelow(objects: GitObjects, tree: string, folder = ''): Promise<GitEntry[]> {
  const found: GitEntry[] = []
  for (const { name, kind, oid } of await objects.tree(tree)) {
    if (kind === 'folder') found.push(...(await filesBelow(objects, oid, `${folder}${name}/`)))
    else if (kind === 'file') found.push({ path: `${folder}${name}`, oid })
  }
  return found
}

/** What a tree holds beside files and folders, in the order of the paths. */
export async function othersBelow(
  objects: GitObjects,
  tree: string,
  folder = '',
): Promise<(TreeEntry & { path: string })[]> {
  const found: (TreeEntry & { path: string })[] = []
  for (const entry of await objects.tree(tree)) {
    const path = `${folder}${entry.name}`
    if (entry.kind === 'folder') found.push(...(await othersBelow(objects, entry.oid, `${path}/`)))
    else if (entry.kind === 'other') found.push({ ...entry, path })
  }
  return found
}

/** The id of one file below a tree, or null. */
export async function fileAt(objects: GitObjects, tree: string, path: string): Promise<string | null> {
  const parts = path.split('/')
  const last = parts.pop() ?? ''
  let at = tree
  for (const part of parts) {
    const folder = (await objects.tree(at)).find((entry) => entry.name === part && entry.kind === 'folder')
    if (!folder) return null
    at = folder.oid
  }
  return (await objects.tree(at)).find((entry) => entry.name === last && entry.kind === 'file')?.oid ?? null
}

/** The tree with the changes made (`blob: null` removes). Every path is checked here as a garden path, whoever asks [adapters#garden-paths]. */
export async function changeTree(
  objects: ObjectDraft,
  tree: string | null,
  changes: readonly { path: string; blob: string | null }[],
): Promise<string> {
  const paths = new Set<string>()
  const split = changes.map(({ path, blob }): Change => {
    const parsed = parseGardenPath(path)
    if (!parsed.ok) throw new Refused(parsed.refusal.code, parsed.refusal.message, parsed.refusal.details)
    if (paths.has(path)) not('One change cannot name a file twice.')
    paths.add(path)
    return { parts: path.split('/'), blob }
  })
  return (await changeFolder(objects, tree, split)) ?? (await objects.writeTree([]))
}

async function changeFolder(
  objects: ObjectDraft,
  tree: string | null,
  changes: Change[],
): Promise<string | null> {
  const standing = tree === null ? [] : await objects.tree(tree)
  const others = standing.filter(({ kind }) => kind === 'other')
  const plain = standing.filter(({ kind }) => kind !== 'other')
  const entries = new Map(plain.map((entry) => [entry.name, entry]))
  const before = new Set(entries.keys())
  for (const [name, group] of Map.groupBy(changes, ({ parts }) => parts[0] ?? '')) {
    const next = await changeEntry(objects, entries.get(name), name, group)
    if (next) entries.set(name, next)
    else entries.delete(name)
  }
  const left = [...entries.values(), ...others]
  refuseCaseCollisions(left, before)
  return left.length === 0 ? null : await objects.writeTree(left)
}

async function changeEntry(
  objects: ObjectDraft,
  standing: TreeEntry | undefined,
  name: string,
  group: Change[],
): Promise<TreeEntry | null> {
  const file = group.find(({ parts }) => parts.length === 1)
  if (file && group.length > 1) not('A path cannot be a file and a folder.')
  if (file) {
    if (standing?.kind === 'folder') not('A folder stands where the file should be.')
    if (file.blob === null && !standing)
      throw new Refused('TARGET_NOT_FOUND', 'The file to remove is not there.')
    return file.blob === null ? null : { name, kind: 'file', oid: file.blob }
  }
  if (standing?.kind === 'file') not('A file stands where a folder should be.')
  const inside = group.map(({ parts, blob }) => ({ parts: parts.slice(1), blob }))
  const oid = await changeFolder(objects, standing?.oid ?? null, inside)
  return oid === null ? null : { name, kind: 'folder', oid }
}

/** Names that differ in letter case or normal form alone are one name on some file systems, so a new one is refused [adapters#garden-paths]. */
function refuseCaseCollisions(entries: readonly TreeEntry[], before: Set<string>): void {
  for (const twins of Map.groupBy(entries, ({ name }) => fileKey(name)).values()) {
    const isNew = ({ name, kind }: TreeEntry) => kind !== 'other' && !before.has(name)
    if (twins.length > 1 && twins.some(isNew))
      not('Another name differs in letter case or normal form alone.')
  }
}

/** In which files two trees differ, in byte order; `null` is the empty tree. */
export async function differences(
  objects: GitObjects,
  [before, after]: [string | null, string | null],
  folder = '',
): Promise<Difference[]> {
  if (before === after) return []
  const [old, now] = await Promise.all([before, after].map((oid) => (oid === null ? [] : objects.tree(oid))))
  const key = ({ name, kind }: TreeEntry) => (kind === 'folder' ? `${name}/` : name)
  const byKey = (entries: readonly TreeEntry[] = []) =>
    new Map(entries.filter(({ kind }) => kind !== 'other').map((entry) => [key(entry), entry.oid]))
  const [olds, nows] = [byKey(old), byKey(now)]
  const found: Difference[] = []
  const keys = [...new Set([...olds.keys(), ...nows.keys()])]
  for (const name of keys.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))) {
    const pair: [string | null, string | null] = [olds.get(name) ?? null, nows.get(name) ?? null]
    if (pair[0] === pair[1]) continue
    if (name.endsWith('/')) found.push(...(await differences(objects, pair, `${folder}${name}`)))
    else {
      const kind = pair[0] === null ? 'added' : pair[1] === null ? 'removed' : 'modified'
      found.push({ path: `${folder}${name}`, kind })
    }
  }
  return found
}
