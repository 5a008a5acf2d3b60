import { lookAtPointer } from '#domain/leadership/pointer-object.ts'
import { digestLine, projectKeys } from '#domain/membridge/project-keys.ts'
import { ObjectConflict, type ObjectStore } from '#server/ports/object-store.ts'
import { EdgeFault } from '../fault.ts'

/**
 * The copy for nodes of today: `sqlite/claude-mem.db`, made within the store from what the pointer names at that moment, and then its `.sha256`.
 *
 * Others may mirror at the same time, and the pointer may move on: it is read again at the end, and the copy made anew until both agree. A
 * reader that meets the copy in between sees a hash that does not match, and tries again.
 */
const MAX_ROUNDS = 4

type Store = Pick<ObjectStore, 'get' | 'head' | 'copy' | 'replace'>

export type MirrorParts = {
  /** Asked for an object that the pointer names and the store lacks; says whether it could bring it. */
  provide: (sha256: string) => Promise<boolean>
  /** Once aborted, no further write is begun. */
  stopped: AbortSignal
}

export async function writeMirror(store: Store, canonicalId: string, parts: MirrorParts): Promise<void> {
  for (let round = 1; round <= MAX_ROUNDS; round++) {
    const sha256 = await namedByPointer(store, canonicalId)
    if (sha256 === null) return
    if (await copyOnce(store, canonicalId, { ...parts, sha256 })) {
      if ((await namedByPointer(store, canonicalId)) === sha256) return
    }
  }
  throw new EdgeFault('others write the copy at the same time')
}

/** The snapshot that the pointer names under `db/`; `null` where it names none, since a node of today writes the mirror itself. */
async function namedByPointer(store: Store, canonicalId: string): Promise<string | null> {
  const object = await store.get(projectKeys(canonicalId).pointer)
  if (object === null) return null
  const text = new TextDecoder().decode(object.bytes)
  const look = lookAtPointer({ found: 'object', text, etag: object.etag, modified: 0, storeNow: 0 })
  if (look.state !== 'present') throw new EdgeFault('manifest.json cannot be read')
  const { sha256, push_id } = look.pointer
  return push_id === null ? null : sha256
}

export const askedToStop = (): EdgeFault => new EdgeFault('the push was asked to stop')

type Copy = MirrorParts & { sha256: string }

/** False when somebody else was at it. */
async function copyOnce(store: Store, canonicalId: string, copy: Copy): Promise<boolean> {
  const { sha256, provide, stopped } = copy
  const keys = projectKeys(canonicalId)
  const from = keys.snapshot(sha256)
  let object = await store.head(from)
  if (object === null && (await provide(sha256))) object = await store.head(from)
  if (object === null) throw new EdgeFault(`manifest.json names ${from}, which is not there`)
  try {
    if (stopped.aborted) throw askedToStop()
    await store.copy(from, keys.mirror, object.etag)
    if (stopped.aborted) throw askedToStop()
    const standing = await store.get(keys.mirrorSha)
    const line = new TextEncoder().encode(digestLine(sha256))
    await store.replace(keys.mirrorSha, line, standing?.etag ?? null, 'text/plain')
    return true
  } catch (error) {
    if (error instanceof ObjectConflict) return false
    throw error
  }
}
