import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { Clock } from '#server/leadership/run-protocol.ts'
import { ArtifactCorrupt, type ObjectStore, type ObjectStream } from '#server/ports/object-store.ts'
import { EdgeFault, reasonOf } from '../fault.ts'
import type { DatabaseCounts } from '../sqlite/database-facts.ts'
import { checkFreeSpace, makeTemporary, removeDatabase } from '../sqlite/temporary-file.ts'
import { examineCopy } from '../sqlite/verify-database.ts'
import { CopyMismatch, openRemoteCopy } from './open-remote-copy.ts'
import { type RemoteCopy, readRemoteCopy } from './remote-copy.ts'

/**
 * Fetching the remote copy into a file of its own: streamed, then examined [edge#remote-copy].
 *
 * Size, digest, integrity and counts have to be those of the pointer. Nodes of today overwrite their three objects one after
 * another, so bytes that do not fit are looked for anew, pointer included, three times. Whatever fails, no file is left.
 */
export type FetchedCopy = Awaited<ReturnType<typeof examineCopy>> & { path: string; remote: RemoteCopy }

export type FetchParts = {
  store: Pick<ObjectStore, 'get' | 'read'>
  canonicalId: string
  /** The folder of the database itself. */
  folder: string
  maxBytes: number
  say: (line: string) => void
  stopped: AbortSignal
  clock: Pick<Clock, 'pause'>
}

const RETRIES = 3
const PAUSE_SECONDS = 2

/** Fetches what the pointer names, at first `remote`; the caller removes the file. Throws `EdgeFault`, and what the store throws. */
export async function fetchCopy(remote: RemoteCopy, parts: FetchParts): Promise<FetchedCopy> {
  let wanted = remote
  for (let retries = 0; ; retries++) {
    try {
      return await fetchOnce(wanted, parts)
    } catch (error) {
      if (!(error instanceof CopyMismatch) || retries === RETRIES) throw error
      parts.say(`${error.message}; trying again in ${PAUSE_SECONDS} s`)
    }
    await parts.clock.pause(PAUSE_SECONDS, parts.stopped)
    refuseWhenStopped(parts.stopped)
    wanted = (await readRemoteCopy(parts.store, parts.canonicalId)) ?? wanted
  }
}

/** Throws when the process was asked to stop; for the time in which nothing has been changed. */
export function refuseWhenStopped(stopped: AbortSignal): void {
  if (stopped.aborted) throw new EdgeFault('stopped; nothing was changed', { exitCode: 130 })
}

async function fetchOnce(remote: RemoteCopy, parts: FetchParts): Promise<FetchedCopy> {
  const { store, canonicalId, folder, maxBytes } = parts
  const object = await openRemoteCopy(store, canonicalId, remote)
  let path: string
  try {
    if (object.size > maxBytes)
      throw new EdgeFault(
        `the remote copy has ${object.size} bytes, more than MEMBRIDGE_MAX_DB_BYTES (${maxBytes}): raise that limit to sync it`,
      )
    await checkFreeSpace(folder, object.size)
    path = await makeTemporary(folder, 'fetch')
  } catch (error) {
    object.stream.destroy()
    throw error
  }
  try {
    await write(object, path, parts)
    return { ...(await examine(path, remote)), path, remote }
  } catch (error) {
    await removeDatabase(path)
    throw error
  }
}

async function write(object: ObjectStream, path: string, { say, stopped }: FetchParts): Promise<void> {
  try {
    await pipeline(object.stream, withProgress(object.size, say), createWriteStream(path), {
      signal: stopped,
    })
  } catch (error) {
    refuseWhenStopped(stopped)
    if (error instanceof ArtifactCorrupt)
      throw new CopyMismatch(`${object.key} does not have the digest it should: push again from the primary`)
    throw error
  }
}

const MIB = 1024 * 1024
/** Below this size nobody waits long enough to ask for progress. */
const PROGRESS_FROM_BYTES = 64 * MIB
const REPORTS = 10

/** Passes the bytes on and tells ten times how far it has come. */
function withProgress(size: number, say: (line: string) => void) {
  return async function* (chunks: AsyncIterable<Uint8Array>) {
    let read = 0
    let reported = 0
    for await (const chunk of chunks) {
      yield chunk
      read += chunk.length
      const tenths = Math.floor((read / size) * REPORTS)
      if (size < PROGRESS_FROM_BYTES || tenths === reported) continue
      reported = tenths
      say(`fetched ${Math.round(read / MIB)} of ${Math.round(size / MIB)} MiB`)
    }
  }
}

/** What was fetched, if it is a sound database with the content and the counts that the pointer names. */
async function examine(path: string, remote: RemoteCopy): Promise<Awaited<ReturnType<typeof examineCopy>>> {
  const examined = await examineCopy(path).catch((error) => {
    const reason = reasonOf(error).replaceAll(path, 'it')
    throw new EdgeFault(
      `the remote copy ${remote.sha256} is unusable (${reason}): push again from the primary`,
    )
  })
  const wrong = (Object.keys(remote.counts) as (keyof DatabaseCounts)[]).find(
    (name) => remote.counts[name] !== examined.counts[name],
  )
  if (wrong)
    throw new EdgeFault(
      `the remote copy ${remote.sha256} has ${examined.counts[wrong]} ${wrong} instead of the ${remote.counts[wrong]} of its manifest: push again from the primary`,
    )
  if (remote.contentSha256 !== null && remote.contentSha256 !== examined.contentSha256)
    throw new EdgeFault(
      `the remote copy ${remote.sha256} does not have the content digest of its manifest: push again from the primary`,
    )
  return examined
}
