import { createReadStream } from 'node:fs'
import { digestLine, projectKeys } from '#domain/membridge/project-keys.ts'
import type { ByteSource } from '#server/ports/byte-source.ts'
import { ArtifactCorrupt, ObjectConflict, type ObjectStore } from '#server/ports/object-store.ts'
import { EdgeFault } from '../fault.ts'
import type { Snapshot } from '../sqlite/snapshot.ts'

/** Bytes that are held at a time, by the reader of the file. */
const CHUNK = 1024 * 1024

type Upload = {
  store: Pick<ObjectStore, 'list' | 'createFrom' | 'read' | 'create'>
  canonicalId: string
  cancelled: AbortSignal
}

/**
 * Brings the snapshot to its content address and reads it back; only then its `.sha256` says that it is whole. An object that is there is not sent
 * again, only read. Throws `EdgeFault` when the store holds other bytes under that name, and what the store throws; cancelled, it ends at the next
 * chunk and leaves nothing that is visible.
 */
export async function storeSnapshot(
  { store, canonicalId, cancelled }: Upload,
  snapshot: Pick<Snapshot, 'path' | 'sha256' | 'bytes'>,
): Promise<void> {
  const keys = projectKeys(canonicalId)
  const key = keys.snapshot(snapshot.sha256)
  try {
    if (!(await isStored(store, key))) await store.createFrom(key, sourceOfFile(snapshot, cancelled))
    await readBack(store, key, { sha256: snapshot.sha256, cancelled })
  } catch (error) {
    if (!(error instanceof ObjectConflict) && !(error instanceof ArtifactCorrupt)) throw error
    const message = `the store holds other bytes under ${key} than that name says: remove this object and run membridge push`
    throw new EdgeFault(message, { cause: error })
  }
  cancelled.throwIfAborted()
  const line = new TextEncoder().encode(digestLine(snapshot.sha256))
  await store.create(keys.snapshotSha(snapshot.sha256), line, 'text/plain')
}

/** Whether an object is there, without reading it. */
export async function isStored(store: Pick<ObjectStore, 'list'>, key: string): Promise<boolean> {
  return (await store.list(key, { limit: 1 })).keys[0] === key
}

/** The file as a source that ends with a fault at the next chunk once it is cancelled. */
export const sourceOfFile = (
  { path, bytes, sha256 }: Pick<Snapshot, 'path' | 'sha256' | 'bytes'>,
  cancelled: AbortSignal,
): ByteSource => ({
  size: bytes,
  sha256,
  open: async function* () {
    for await (const chunk of createReadStream(path, { highWaterMark: CHUNK }) as AsyncIterable<Buffer>) {
      cancelled.throwIfAborted()
      yield chunk
    }
  },
})

async function readBack(
  store: Upload['store'],
  key: string,
  { sha256, cancelled }: { sha256: string; cancelled: AbortSignal },
): Promise<void> {
  const object = await store.read(key, sha256)
  if (object === null)
    throw new EdgeFault(`${key} was stored and is not there: check the store and run membridge push`)
  const stop = () => object.stream.destroy(new Error('cancelled'))
  cancelled.addEventListener('abort', stop, { once: true })
  try {
    for await (const _ of object.stream);
  } finally {
    cancelled.removeEventListener('abort', stop)
  }
}
