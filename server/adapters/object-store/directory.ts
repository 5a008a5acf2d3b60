import { constants } from 'node:fs'
import { open, readdir, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Refused } from '#domain/kernel/errors.ts'
import {
  discard,
  isAbsent,
  isTaken,
  linkInto,
  makeFolder,
  renameInto,
  stage,
  sweepStaging,
  syncFolder,
} from '#server/adapters/file-system/durable-file.ts'
import { withFileLock } from '#server/adapters/file-system/file-lock.ts'
import {
  ObjectConflict,
  type ObjectHead,
  type ObjectStore,
  parseObjectKey,
  StorageUnavailable,
  type StoredObject,
  sha256Hex,
} from '#server/ports/object-store.ts'
import { probeObjectStore } from '#server/ports/probe-object-store.ts'

/**
 * The object store as a folder: the key is the path below the root, the etag is the SHA-256 of the content.
 *
 * An object is written aside, flushed and *linked* into place, so that creation is atomic and create-only, and no reader
 * meets half a file. Replacing compares and renames under a lock between processes. `.store/` holds the staging folder and
 * the locks; no key may enter it. Symbolic links are neither followed nor listed, in no component. Every fault of the disk
 * (full, read-only, unreadable) becomes `StorageUnavailable` and leaves the object as it was.
 */
const INTERNAL = '.store'
const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)

type ObjectLocation = { key: string; path: string; folder: string }

export async function openDirectoryStore(rootFolder: string): Promise<ObjectStore> {
  await makeFolder(join(rootFolder, INTERNAL, 'staging'))
  await makeFolder(join(rootFolder, INTERNAL, 'locks'))
  const root = await realpath(rootFolder)
  await sweepStaging(join(root, INTERNAL, 'staging'))
  return new DirectoryStore(root)
}

class DirectoryStore implements ObjectStore {
  readonly #root: string
  readonly #staging: string

  constructor(root: string) {
    this.#root = root
    this.#staging = join(root, INTERNAL, 'staging')
  }

  create(key: string, bytes: Uint8Array): Promise<{ created: boolean; etag: string }> {
    return this.#guard(key, async (location) => {
      const created = await this.#link(location, bytes)
      return { created, etag: sha256Hex(bytes) }
    })
  }

  replace(key: string, bytes: Uint8Array, ifMatch: string | null): Promise<{ etag: string }> {
    return this.#guard(key, async (location) => {
      const etag = sha256Hex(bytes)
      if (ifMatch === null) await this.#link(location, bytes)
      else await this.#locked(location, () => this.#swap(location, bytes, ifMatch))
      return { etag }
    })
  }

  get(key: string): Promise<StoredObject | null> {
    return this.#guard(key, async (location) => {
      const found = await this.#read(location)
      return found && { key, bytes: found.bytes, etag: found.etag }
    })
  }

  head(key: string): Promise<ObjectHead | null> {
    return this.#guard(key, async (location) => {
      const found = await this.#read(location)
      return found && { etag: found.etag, size: found.bytes.length, modified: found.modified }
    })
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
      if (!(await this.#read(location))) return
      await this.#locked(location, async () => {
        await discard(location.path)
        await syncFolder(location.folder)
      })
    })
  }

  probe() {
    return probeObjectStore(this, `directory ${this.#root}`)
  }

  /** Links new content into place; `false` when equal content stands there already. */
  async #link(location: ObjectLocation, bytes: Uint8Array): Promise<boolean> {
    await this.#prepare(location)
    for (let attempt = 0; attempt < 3; attempt++) {
      const created = await linkInto(await stage(this.#staging, bytes), location.path)
      const standing = created ? null : await this.#read(location)
      if (!created && !standing) continue
      if (standing && !Buffer.from(bytes).equals(standing.bytes)) throw new ObjectConflict(location.key)
      await syncFolder(location.folder)
      return created
    }
    throw new ObjectConflict(location.key, `a folder or a fleeting object stands at ${location.key}`)
  }

  async #swap(location: ObjectLocation, bytes: Uint8Array, ifMatch: string): Promise<void> {
    const standing = await this.#read(location)
    if (standing && Buffer.from(bytes).equals(standing.bytes)) return
    if (standing?.etag !== ifMatch)
      throw new ObjectConflict(location.key, `the object ${location.key} has changed`)
    await renameInto(await stage(this.#staging, bytes), location.path)
    await syncFolder(location.folder)
  }

  #locked<T>(location: ObjectLocation, work: () => Promise<T>): Promise<T> {
    const path = join(this.#root, INTERNAL, 'locks', sha256Hex(location.key))
    return withFileLock({ path, staging: this.#staging }, work)
  }

  async #prepare(location: ObjectLocation): Promise<void> {
    try {
      await makeFolder(location.folder)
    } catch (error) {
      if (isTaken(error) || isAbsent(error))
        throw new ObjectConflict(location.key, 'a shorter key stands in the way')
      throw error
    }
    if (!(await this.#isInside(location.folder)))
      throw new StorageUnavailable('a link stands in the way of the object')
  }

  /** False when some component on the way is a symbolic link, or is not there. */
  async #isInside(folder: string): Promise<boolean> {
    try {
      return (await realpath(folder)) === folder
    } catch (error) {
      if (isAbsent(error)) return false
      throw error
    }
  }

  async #read(location: ObjectLocation): Promise<{ bytes: Uint8Array; etag: string; modified: Date } | null> {
    try {
      const handle = await open(location.path, READ)
      try {
        const info = await handle.stat()
        if (info.isDirectory()) return null
        if (!info.isFile() || !(await this.#isInside(location.folder)))
          throw new StorageUnavailable('not a plain file')
        const bytes = new Uint8Array(await handle.readFile())
        return { bytes, etag: sha256Hex(bytes), modified: info.mtime }
      } finally {
        await handle.close()
      }
    } catch (error) {
      if (isAbsent(error)) return null
      throw error
    }
  }

  async *#walk(prefix: string, after: string): AsyncGenerator<string> {
    const slash = prefix.lastIndexOf('/')
    const start = slash < 0 ? '' : `${parseObjectKey(prefix.slice(0, slash))}/`
    if (!(await this.#isInside(join(this.#root, start).replace(/(?<=.)\/$/, '')))) return
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
    return this.#faults(key, async () => {
      parseObjectKey(key)
      if (key.split('/')[0] === INTERNAL)
        throw new Refused('PATH_NOT_ALLOWED', 'this part of the store is its own')
      const path = join(this.#root, key)
      return await work({ key, path, folder: dirname(path) })
    })
  }

  async #faults<T>(what: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof ObjectConflict || error instanceof Refused) throw error
      const code = (error as NodeJS.ErrnoException).code ?? 'fault'
      throw new StorageUnavailable(`the object store failed (${code}) at ${what}`, { cause: error })
    }
  }
}

const inByteOrder = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))
