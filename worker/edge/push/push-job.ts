import { once } from 'node:events'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { JsonObject } from '#domain/leadership/json-fields.ts'
import type { PointerLook } from '#domain/leadership/pointer-object.ts'
import type { Answers } from '#domain/leadership/protocol-effects.ts'
import type { Snapshot as Pushed } from '#domain/leadership/push.rules.ts'
import { projectKeys } from '#domain/membridge/project-keys.ts'
import type { PushWork } from '#server/leadership/run-protocol.ts'
import { EdgeFault, reasonOf } from '../fault.ts'
import { readSyncState, type SyncState } from '../ledger/sync-state.ts'
import { fileMark } from '../sqlite/file-mark.ts'
import { type Snapshot, takeSnapshot } from '../sqlite/snapshot.ts'
import { removeDatabase, sweepTemporaries } from '../sqlite/temporary-file.ts'
import type { SyncContext } from '../sync/node-context.ts'
import { readPointer } from '../sync/read-objects.ts'
import { isStored, storeSnapshot } from './store-snapshot.ts'
import { askedToStop, writeMirror } from './write-mirror.ts'

/**
 * What a push does besides the protocol [edge#push]: snapshot, upload and mirror. States: fresh → snapshot taken, or found unchanged → upload
 * begun → closed. Nothing throws into the protocol; `fault` keeps why something failed. `close` cancels an upload that is under way and removes the
 * snapshot, whatever the end was; called again, it has nothing left to do.
 */
export class PushJob implements PushWork {
  fault: unknown = null
  /** What is pushed: of the snapshot, or of the last sync where the database has not changed since. */
  pushed: Pushed | null = null
  /** The mark of the file before it was read. */
  source: string | null = null
  readonly #node: SyncContext
  readonly #cancelling = new AbortController()
  #file: Snapshot | null = null
  #uploading: Promise<'stored' | 'failed'> | null = null

  constructor(node: SyncContext) {
    this.#node = node
  }

  async snapshot(): Promise<Answers['snapshot']> {
    await this.#attempt(async () => {
      const { database, host, canonicalId, settings, say } = this.#node
      const pointer = await readPointer(this.#node)
      const state = await readSyncState(host, canonicalId)
      const last = state.state === 'read' ? state.value : null
      this.source = await fileMark(database)
      this.pushed = await this.#unchanged(last, pointer)
      if (this.pushed !== null) return
      await sweepTemporaries(dirname(database))
      this.#file = await takeSnapshot(database, { maxBytes: settings.MEMBRIDGE_MAX_DB_BYTES })
      this.pushed = this.#describe(this.#file)
      const { counts, bytes, sha256 } = this.#file
      say(`snapshot: ${counts.observations} observations, ${bytes} bytes, sha256 ${sha256}`)
      if (isForeign(pointer, last, this.pushed))
        say(
          'WARNING: the remote copy is not the one that this node synced last: another node has pushed since',
        )
    })
    return this.pushed
  }

  async upload(seconds: number): Promise<Answers['upload']> {
    this.#uploading ??= this.#attempt(() => this.#store())
    const waiting = new AbortController()
    const signal = AbortSignal.any([waiting.signal, this.#node.stopped])
    const slice = sleep(Math.min(seconds, LONGEST_SLICE) * 1000, undefined, { signal }).catch(() => {})
    try {
      return await Promise.race([this.#uploading, slice.then(() => 'going' as const)])
    } finally {
      waiting.abort()
    }
  }

  /** Ends as failed as soon as the push is asked to stop; the next push completes the mirror. */
  async mirror(): Promise<Answers['mirror']> {
    const { store, canonicalId, say, stopped } = this.#node
    say('mirror: copying for nodes of today')
    const provide = async (sha256: string) => {
      if (this.#file?.sha256 !== sha256) return false
      await this.#store()
      return true
    }
    const mirroring = this.#attempt(() => writeMirror(store, canonicalId, { provide, stopped }))
    const waiting = new AbortController()
    const stop = stopped.aborted ? Promise.resolve() : once(stopped, 'abort', { signal: waiting.signal })
    const refused = stop.then(() => this.#attempt(() => Promise.reject(askedToStop())))
    try {
      return await Promise.race([mirroring, refused])
    } finally {
      waiting.abort()
      refused.catch(() => {})
    }
  }

  /** Brings the object of this snapshot to the store once more, where the pointer names it and it is gone. */
  async restore(sha256: string): Promise<boolean> {
    return this.#file?.sha256 === sha256 && (await this.#attempt(() => this.#store())) === 'stored'
  }

  /** A snapshot that cannot be removed is told; the next command sweeps it. */
  async close(): Promise<void> {
    this.#cancelling.abort(new EdgeFault('the upload was cancelled'))
    if (this.#uploading) await Promise.race([this.#uploading, sleep(CANCEL_MS, undefined, { ref: false })])
    const file = this.#file
    this.#file = null
    if (file === null) return
    await removeDatabase(file.path).catch((error) =>
      this.#node.say(`WARNING: ${file.path} could not be removed: ${reasonOf(error)}`),
    )
  }

  async #store(): Promise<void> {
    const { store, canonicalId, say, stopped } = this.#node
    if (this.#file === null)
      throw new EdgeFault('the remote copy changed during this push: run membridge push again')
    say(`upload: ${projectKeys(canonicalId).snapshot(this.#file.sha256)}`)
    const cancelled = AbortSignal.any([this.#cancelling.signal, stopped])
    await storeSnapshot({ store, canonicalId, cancelled }, this.#file)
    say('upload: read back and verified')
  }

  /** The content of the last sync, when the file is as it was then and the pointer has that content. */
  async #unchanged(last: SyncState | null, pointer: PointerLook): Promise<Pushed | null> {
    if (!last?.source || last.source !== this.source || pointer.state !== 'present') return null
    const { content_sha256, observations } = pointer.pointer
    if (content_sha256 !== last.content_sha256) return null
    const { store, canonicalId } = this.#node
    const dbKey = projectKeys(canonicalId).snapshot(last.last_synced_sha)
    // An object that is gone can be brought again from a snapshot alone.
    if (!(await isStored(store, dbKey))) return null
    return {
      sha256: last.last_synced_sha,
      contentSha256: last.content_sha256,
      observations: observations ?? 0,
      dbKey,
      fields: {},
    }
  }

  #describe({ sha256, contentSha256, bytes, counts }: Snapshot): Pushed {
    const { observations, ...others } = counts
    const { project, host, canonicalId } = this.#node
    const fields: JsonObject = { project, source_host: host.name, db_size: bytes, ...others }
    return { sha256, contentSha256, observations, dbKey: projectKeys(canonicalId).snapshot(sha256), fields }
  }

  async #attempt(work: () => Promise<void>): Promise<'stored' | 'failed'> {
    try {
      await work()
      return 'stored'
    } catch (error) {
      this.fault = error
      return 'failed'
    }
  }
}

/** Longer than a day no timer of this platform can be relied on; the lock is only renewed earlier for it. */
const LONGEST_SLICE = 86_400
/** How long a cancelled upload is waited for. */
const CANCEL_MS = 5_000

/** Whether this push would come upon a copy that this node does not know. */
function isForeign(pointer: PointerLook, last: SyncState | null, pushed: Pushed): boolean {
  if (pointer.state !== 'present' || pointer.pointer.sha256 === null) return false
  const { sha256, content_sha256 } = pointer.pointer
  if (sha256 === pushed.sha256 || content_sha256 === pushed.contentSha256) return false
  return last === null || (sha256 !== last.last_synced_sha && content_sha256 !== last.content_sha256)
}
