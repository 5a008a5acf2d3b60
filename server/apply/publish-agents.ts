import { pathFault } from '#domain/garden/garden-path.ts'
import { isOfRuntime } from '#domain/garden/target.rules.ts'
import { pathsSince } from '#server/garden/paths-since.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { ObjectConflict, type ObjectStore } from '#server/ports/object-store.ts'
import type { Services } from '#server/services.ts'

/**
 * The copies of `agents/…` in the object store, under the same keys ([apply#steps] 8): a projection of the branch.
 * It stores the last published commit beside them and continues from there; repeating it writes the same bytes again, so a publication
 * that was lost or happened twice does no harm.
 *
 * Every worker publishes, and any of them may stop for a while between two calls. A lock would be lost in such a pause, and repeating what was published
 * once the mark turns out to be lost would not happen in a worker that was killed by then. So each file is right by itself: its object is looked at first,
 * the branch after that, and the text is written only over the object that was seen. Whoever has written meanwhile makes that fail, and it begins again. A
 * removal has no such condition, and bytes may be the same as before; so it also begins again when the branch has moved by the end: only a
 * worker that is killed between a removal that came too late and this look leaves a copy out. Whoever writes the mark has published everything since the mark
 * before; of two that finish at once one mark stands, and either is true.
 */
const MARK = 'publisher/garden.json'
const FOLDER = 'agents/'
/** The mark is moved for commits that touch no agent only now and then. */
const MARK_EVERY = 25
/** How often one file begins again, each time because another worker or commit came between. */
const ROUNDS = 20

/** Publishes up to the head of the branch; returns the paths that were written or taken away. */
export async function publishAgents({
  garden,
  store,
}: Pick<Services, 'garden' | 'store'>): Promise<string[]> {
  const mark = await store.get(MARK)
  const last = mark ? commitOfMark(mark.bytes) : null
  const head = await garden.head()
  if (last === head) return []
  const { paths, commits } = await changedSince(garden, last, head)
  if (paths.length === 0 && commits < MARK_EVERY) return []
  for (const path of paths) await publish(garden, store, path)
  const next = new TextEncoder().encode(`${JSON.stringify({ commit: head })}\n`)
  await unlessConflict(store.replace(MARK, next, mark?.etag ?? null, 'application/json'))
  return paths
}

/** A name that is no garden path, as somebody may push it, has no key; the keys of runs and of the agent's state are the runtime's. */
const isPublished = (path: string): boolean =>
  path.startsWith(FOLDER) && pathFault(path) === null && !isOfRuntime(path)

function commitOfMark(bytes: Uint8Array): string | null {
  try {
    const { commit } = JSON.parse(new TextDecoder().decode(bytes)) as { commit?: unknown }
    return typeof commit === 'string' ? commit : null
  } catch {
    return null
  }
}

/** Paths below `agents/` in which the head differs from the last published commit; all of them when that is not on the branch. */
async function changedSince(
  garden: GitRepository,
  last: string | null,
  head: string,
): Promise<{ paths: string[]; commits: number }> {
  const changed = last ? await pathsSince(garden, { since: last, head }) : null
  const below = (paths: string[]) => paths.filter(isPublished).sort()
  if (!changed)
    return { paths: below((await garden.list(head)).map(({ path }) => path)), commits: MARK_EVERY }
  return { paths: below(changed.paths), commits: changed.commits }
}

async function publish(garden: GitRepository, store: ObjectStore, path: string): Promise<void> {
  const key = path.normalize('NFC')
  for (let round = 0; round < ROUNDS; round++) {
    const there = await store.head(key)
    const head = await garden.head()
    const file = await garden.read(path, head)
    const isWritten = file
      ? await unlessConflict(
          store.replace(key, file.bytes, there?.etag ?? null, 'text/markdown; charset=utf-8'),
        )
      : await store.remove(key).then(() => true)
    if (isWritten && head === (await garden.head())) return
  }
  throw new ObjectConflict(
    key,
    `the object ${key} or the branch changed ${ROUNDS} times while it was published`,
  )
}

/** False when another worker came first. */
async function unlessConflict(write: Promise<unknown>): Promise<boolean> {
  try {
    await write
    return true
  } catch (error) {
    if (error instanceof ObjectConflict) return false
    throw error
  }
}
