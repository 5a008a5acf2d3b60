import type { GitObjects } from './git-objects.ts'

/** An object that a commit needs, by the kind that its holder says it is. */
export type Reachable = { kind: 'commit' | 'tree' | 'blob'; oid: string }

const FOLDER = '40000'
const MODULE = '160000'

type Walk = {
  /** Objects that are not visited, nor what they lead to; every visited one is added. */
  seen: Set<string>
  /** Told of an object that cannot be read; without it the walk throws. */
  onFault?: (object: Reachable, error: Error) => void
}

/**
 * Every object that the commit is made of, history included, each once. An object was read when it is given; a blob is read only if
 * `readBlobs` asks for it, since it leads nowhere.
 */
export async function* reachableFrom(
  objects: GitObjects,
  from: Reachable,
  { seen, onFault, readBlobs = false }: Walk & { readBlobs?: boolean },
): AsyncGenerator<Reachable> {
  const open = [from]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next.oid)) continue
    seen.add(next.oid)
    try {
      if (next.kind !== 'blob') open.push(...(await childrenOf(objects, next)))
      else if (readBlobs) await objects.blob(next.oid)
    } catch (error) {
      if (!onFault) throw error
      onFault(next, error as Error)
      continue
    }
    yield next
  }
}

async function childrenOf(objects: GitObjects, { kind, oid }: Reachable): Promise<Reachable[]> {
  if (kind === 'commit') {
    const { tree, parents } = await objects.commit(oid)
    return [
      ...parents.map((parent): Reachable => ({ kind: 'commit', oid: parent })),
      { kind: 'tree', oid: tree },
    ]
  }
  const entries = await objects.tree(oid)
  return entries
    .filter((entry) => entry.mode !== MODULE)
    .map((entry) => ({
      kind: entry.kind === 'folder' || entry.mode === FOLDER ? 'tree' : 'blob',
      oid: entry.oid,
    }))
}
