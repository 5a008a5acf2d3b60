import { digestOfLine, projectKeys } from '#domain/membridge/project-keys.ts'
import type { ObjectStore, ObjectStream } from '#server/ports/object-store.ts'
import { EdgeFault } from '../fault.ts'
import type { RemoteCopy } from './remote-copy.ts'

/** Bytes and pointer do not agree, which a push that is under way may explain: worth another look. */
export class CopyMismatch extends EdgeFault {}

/**
 * Opens the bytes that the pointer names [edge#remote-copy]: the snapshot under its digest, or the mirror where a node of today pushed,
 * which keeps no snapshots. The stream fails at its end when its digest is another. Throws `EdgeFault`, and what the store throws.
 */
export async function openRemoteCopy(
  store: Pick<ObjectStore, 'get' | 'read'>,
  canonicalId: string,
  { sha256, bytes }: RemoteCopy,
): Promise<ObjectStream> {
  const keys = projectKeys(canonicalId)
  const found =
    (await store.read(keys.snapshot(sha256), sha256)) ?? (await openMirror(store, canonicalId, sha256))
  if (bytes === null || bytes === found.size) return found
  found.stream.destroy()
  throw new CopyMismatch(
    `${found.key} has ${found.size} bytes instead of the ${bytes} of its manifest: push again from the primary`,
  )
}

async function openMirror(
  store: Pick<ObjectStore, 'get' | 'read'>,
  canonicalId: string,
  sha256: string,
): Promise<ObjectStream> {
  const { mirror, mirrorSha, snapshot } = projectKeys(canonicalId)
  const line = await store.get(mirrorSha)
  const named = line && digestOfLine(new TextDecoder().decode(line.bytes))
  if (named !== null && named !== sha256)
    throw new CopyMismatch(
      `the pointer names ${sha256}, which is not in the store, and ${mirror} holds ${named}: push again from the primary`,
    )
  const found = named && (await store.read(mirror, sha256))
  if (found) return found
  throw new EdgeFault(
    `the remote copy is not in the store: neither ${snapshot(sha256)} nor ${mirror} is there; push again from the primary`,
  )
}
