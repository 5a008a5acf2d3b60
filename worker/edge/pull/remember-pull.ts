import { reasonOf } from '../fault.ts'
import { readSyncState, writeSyncState } from '../ledger/sync-state.ts'
import { fileMark } from '../sqlite/file-mark.ts'
import type { SyncContext } from '../sync/node-context.ts'
import type { RemoteCopy } from './remote-copy.ts'

/** The content digest of the remote copy without fetching it: its pointer's, or what this node found when it last synced that copy. */
export async function rememberedContent(
  { host, canonicalId }: SyncContext,
  { contentSha256, sha256 }: RemoteCopy,
): Promise<string | null> {
  if (contentSha256 !== null) return contentSha256
  const read = await readSyncState(host, canonicalId)
  const isKnown = read.state === 'read' && read.value.last_synced_sha === sha256
  return isKnown ? read.value.content_sha256 : null
}

/** Whether the database is the file that had this content when it was last read: then nothing has to be copied to know it. */
export async function isUnchanged(
  { host, canonicalId, database }: SyncContext,
  contentSha256: string | null,
): Promise<boolean> {
  const read = await readSyncState(host, canonicalId)
  if (read.state !== 'read' || read.value.content_sha256 !== contentSha256 || !read.value.source) return false
  return read.value.source === (await fileMark(database))
}

/**
 * Keeps what is now here. It is a memory and no authority, so that it could not be written is a
 * warning: the database is in place.
 */
export async function rememberPull(
  { host, canonicalId, say }: SyncContext,
  remote: RemoteCopy,
  { contentSha256, at, mark }: { contentSha256: string; at: Date; mark: string | null },
): Promise<void> {
  try {
    const corrupt = await writeSyncState(host, canonicalId, {
      last_synced_sha: remote.sha256,
      content_sha256: contentSha256,
      at: at.getTime() / 1000,
      source: mark,
      term: remote.term,
    })
    if (corrupt !== null) say(`WARNING: the sync state was not readable and is kept as ${corrupt}`)
  } catch (error) {
    say(`WARNING: what was synced could not be remembered: ${reasonOf(error)}`)
  }
}
