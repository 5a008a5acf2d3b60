import { readdir, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Refused } from '#domain/kernel/errors.ts'
import { syncFolders } from '#server/adapters/file-system/durable-batch.ts'
import {
  discard,
  isAbsent,
  makeFolder,
  renameInto,
  stage,
  stageStream,
  sweepStaging,
  syncFolder,
} from '#server/adapters/file-system/durable-file.ts'
import { withFileLock } from '#server/adapters/file-system/file-lock.ts'
import { FileThread } from '#server/adapters/file-system/file-thread.ts'
import {
  type ByteSource,
  type ByteTally,
  readSource,
  SourceFailed,
  sourceOf,
} from '#server/ports/byte-source.ts'
import {
  ArtifactCorrupt,
  type Creation,
  type NewObject,
  ObjectConflict,
  type ObjectHead,
  type ObjectStore,
  type ObjectStream,
  type Observation,
  parseObjectKey,
  StorageUnavailable,
  type StoredObject,
  type StreamedWrite,
  sha256Hex,
} from '#server/ports/object-store.ts'
import { probeObjectStore } from '#server/ports/probe-object-store.ts'
import {
  createSharing,
  createTogether,
  linkObject,
  type NewFile,
  prepareFolder,
  type Target,
} from './directory-batch.ts'
import {
  digestObject,
  fileSystemTime,
  isInside,
  isObject,
  type ObjectLocation,
  openAny,
  openStream,
  readObject,
} from './directory-objects.ts'

/**
 * The object store as a folder: the key is the path below the root, the etag is the SHA-256 of the content.
 *
 * An object is written aside, flushed and *linked* into place, so that creation is atomic and create-only, and no reader
 * meets half a file; many at once are made together by a thread. A stream is written aside as it comes. Replacing compares and renames under a lock between processes.
 * An object is dated by the moment its bytes were written, and the store's time is that of its file system. `.store/` holds the staging folder and
 * the locks; no key may enter it. Symbolic links are neither followed nor listed, in no component. Every fault of the disk
 * (full, read-only, unreadable) becomes `StorageUnavailable` and leaves the object as it was.
 */
const INTERNAL = '.store'

type Staged = { path: string; tally: ByteTally }

export type DirectoryOptions = {
  /** Small objects that are created at the same time are made together: for a process that creates many side by side. */
  together?: boolean
}

export async function openDirectoryStore(
  rootFolder: string,
  { together = false }: DirectoryOptions = {},
): Promise<ObjectStore> {
  await makeFolder(join(rootFolder, INTERNAL, 'staging'))
  await makeFolder(join(rootFolder, INTERNAL, 'locks'))
  const root = await realpath(rootFolder)
  await sweepStaging(join(root, INTERNAL, 'staging'))
  return new DirectoryStore(root, together)
}

class DirectoryStore implements ObjectStore {
  readonly #root: string
  readonly #staging: string
  readonly #target: Target
  readonly #create: (file: NewFile) => Promise<{ created: boolean; etag: string }>

  constructor(root: string, together: boolean) {
    this.#root = root
    this.#staging = join(root, INTERNAL, 'staging')
    this.#target = {
      root,
      staging: this.#staging,
      thread: new FileThread(),
      createAlone: ({ location, bytes }) => this.createFrom(location.key, sourceOf(bytes)),
    }
    this.#create = together ? createSharing(this.#target) : this.#target.createAlone
  }

  create(key: string, bytes: Uint8Array): Promise<{ created: boolean; etag: string }> {
    return this.#guard(key, async (location) => {
      const { created, etag } = await this.#create({ location, bytes })
      return { created, etag }
    })
  }

  createFrom(key: string, source: ByteSource): Promise<StreamedWrite & { created: boolean }> {
    return this.#guard(key, async (location) => {
      await this.#prepare(location)
      return this.#staged(source, async (staged) => {
        const created = await this.#link(location, staged)
        return { ...staged.tally, etag: staged.tally.sha256, created }
      })
    })
  }

  createMany(objects: readonly NewObject[]): Promise<Creation[]> {
    return this.#faults(`create ${objects.length} objects`, () => {
      const files = objects.map(({ key, bytes }) => ({ location: this.#locate(key), bytes }))
      return createTogether(this.#target, files)
    })
  }

  replace(key: string, bytes: Uint8Array, ifMatch: string | null): Promise<{ etag: string }> {
    return this.#guard(key, async (location) => {
      const etag = sha256Hex(bytes)
      if (ifMatch === null) await this.create(key, bytes)
      else
        await this.#locked(location, async () => {
          if (await this.#mustSwap(location, etag, ifMatch))
            await this.#rename(location, await stage(this.#staging, bytes))
        })
      return { etag }
    })
  }

  replaceFrom(key: string, source: ByteSource, ifMatch: string | null): Promise<StreamedWrite> {
    return this.#guard(key, async (location) => {
      if (ifMatch === null) {
        const { created: _, ...written } = await this.createFrom(key, source)
        return written
      }
      // Staged before the lock is taken: nobody waits while the bytes come.
      return await this.#staged(source, async ({ path, tally }) => {
        await this.#locked(location, async () => {
          if (await this.#mustSwap(location, tally.sha256, ifMatch)) await this.#rename(location, path)
        })
        return { ...tally, etag: tally.sha256 }
      })
    })
  }

  copy(from: string, to: string, etag: string): Promise<{ etag: string }> {
    return this.#guard(from, (source) =>
      this.#guard(to, async (target) => {
        await this.#prepare(target)
        const original = await openStream(source, etag)
        if (!original) throw new ObjectConflict(from, `there is no object ${from}`)
        const staged = await stageStream(this.#staging, original.stream)
          .catch((error) => {
            if (!(error instanceof ArtifactCorrupt)) throw error
            throw new ObjectConflict(from, `the object ${from} has changed`)
          })
          .finally(() => original.stream.destroy())
        await this.#locked(target, () => this.#rename(target, staged)).finally(() => discard(staged))
        return { etag }
      }),
    )
  }

  get(key: string): Promise<StoredObject | null> {
    return this.#guard(key, async (location) => {
      const found = await readObject(location)
      return found && { key, bytes: found.bytes, etag: found.etag }
    })
  }

  read(key: string, sha256: string): Promise<ObjectStream | null> {
    return this.#guard(key, (location) => openStream(location, sha256))
  }

  open(key: string) {
    return this.#guard(key, (location) => openAny(location))
  }

  observe(key: string): Promise<Observation> {
    return this.#guard(key, async (location) => {
      const found = await readObject(location)
      return { object: found && { key, ...found }, storeTime: await fileSystemTime(this.#staging) }
    })
  }

  head(key: string): Promise<ObjectHead | null> {
    return this.#guard(key, (location) => digestObject(location))
  }

  list(prefix: string, options: { after?: string; limit?: number } = {}) {
    const limit = options.limit ?? 1000
    return this.#faults(`list ${prefix}`, async () => {
      const keys: string[] = []
      for await (const key of this.#walk(prefix, options.after ?? '')) {
        if (keys.length === limit) return { keys, next: keys.at(-1) ?? null }
        keys.push(key)
      }
      return { keys, next: null }
    })
  }

  remove(key: string): Promise<void> {
    return this.#guard(key, async (location) => {
      if (!(await isObject(location))) return
      await this.#locked(location, async () => {
        await discard(location.path)
        await syncFolder(location.folder)
      })
    })
  }

  probe() {
    return probeObjectStore(this, `directory ${this.#root}`)
  }

  /** Stages the source and lets `use` put it into place; removes what `use` left. */
  async #staged<T>(source: ByteSource, use: (staged: Staged) => Promise<T>): Promise<T> {
    const reading = readSource(source)
    const path = await stageStream(this.#staging, reading.chunks)
    try {
      return await use({ path, tally: reading.tally() as ByteTally })
    } finally {
      await discard(path)
    }
  }

  /** Links new content into place; `false` when equal content stands there already. */
  async #link(location: ObjectLocation, { path, tally }: Staged): Promise<boolean> {
    const created = await linkObject(location, { path, sha256: tally.sha256 })
    await syncFolder(location.folder)
    return created
  }

  /** False when the content stands there already; throws when something else than the expected does. */
  async #mustSwap(location: ObjectLocation, sha256: string, ifMatch: string): Promise<boolean> {
    const standing = await digestObject(location)
    if (standing?.etag === sha256) return false
    if (standing?.etag !== ifMatch)
      throw new ObjectConflict(location.key, `the object ${location.key} has changed`)
    return true
  }

  async #rename(location: ObjectLocation, staged: string): Promise<void> {
    await renameInto(staged, location.path)
    await syncFolder(location.folder)
  }

  #locked<T>(location: ObjectLocation, work: () => Promise<T>): Promise<T> {
    const path = join(this.#root, INTERNAL, 'locks', sha256Hex(location.key))
    return withFileLock({ path, staging: this.#staging }, work)
  }

  async #prepare(location: ObjectLocation): Promise<void> {
    await syncFolders(await prepareFolder(location))
  }

  async *#walk(prefix: string, after: string): AsyncGenerator<string> {
    const slash = prefix.lastIndexOf('/')
    const start = slash < 0 ? '' : `${parseObjectKey(prefix.slice(0, slash))}/`
    if (!(await isInside(join(this.#root, start).replace(/(?<=.)\/$/, '')))) return
    for await (const key of this.#below(start, after)) {
      if (key.startsWith(prefix) && inByteOrder(key, after) > 0) yield key
    }
  }

  /** The keys below a folder (given with its slash, or empty), in byte order of the whole keys; folders that end before `after` are left out. */
  async *#below(folder: string, after: string): AsyncGenerator<string> {
    const entries = await readdir(join(this.#root, folder), { withFileTypes: true }).catch((error) => {
      if (isAbsent(error)) return []
      throw error
    })
    const names = entries
      .filter(
        (entry) => (entry.isFile() || entry.isDirectory()) && !(folder === '' && entry.name === INTERNAL),
      )
      .map((entry) => `${folder}${entry.name}${entry.isDirectory() ? '/' : ''}`)
    for (const name of names.sort(inByteOrder)) {
      if (!name.endsWith('/')) yield name
      else if (after.startsWith(name) || inByteOrder(name, after) > 0) yield* this.#below(name, after)
    }
  }

  #guard<T>(key: string, work: (location: ObjectLocation) => Promise<T>): Promise<T> {
    return this.#faults(key, () => work(this.#locate(key)))
  }

  #locate(key: string): ObjectLocation {
    parseObjectKey(key)
    if (key.split('/')[0] === INTERNAL)
      throw new Refused('PATH_NOT_ALLOWED', 'this part of the store is its own')
    const path = join(this.#root, key)
    return { key, path, folder: dirname(path) }
  }

  async #faults<T>(what: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof ObjectConflict || error instanceof Refused || error instanceof SourceFailed)
        throw error
      const code = (error as NodeJS.ErrnoException).code ?? 'fault'
      throw new StorageUnavailable(`the object store failed (${code}) at ${what}`, { cause: error })
    }
  }
}

const inByteOrder = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))
