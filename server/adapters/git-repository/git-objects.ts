import { promises as fs } from 'node:fs'
import { dirname, join } from 'node:path'
import git from 'isomorphic-git'
import { BoundedCache } from '#domain/kernel/bounded-cache.ts'
import { Refused } from '#domain/kernel/errors.ts'
import {
  makeFolder,
  readIfThere,
  renameInto,
  stage,
  syncFolder,
} from '#server/adapters/file-system/durable-file.ts'
import type { GitFile, Person } from '#server/ports/git-repository.ts'
import { StorageUnavailable, sha256Hex } from '#server/ports/object-store.ts'
import { readCommit } from './commit-object.ts'
import { contentOf, looseFile, type ObjectKind } from './loose-object.ts'

/**
 * The objects of a bare repository: blobs, trees and commits by their id, cached, since an id never means anything else.
 *
 * The library writes an object straight to its final name; a kill in the middle would leave a torn object that it then
 * takes for written. So it is given a file system whose writes are whole: aside, flushed, renamed, folder flushed.
 */
export type TreeEntry = {
  name: string
  /** `other` is what the garden does not show and every commit keeps: links, executables, modules, names that are not UTF-8. */
  kind: 'file' | 'folder' | 'other'
  oid: string
  /** Mode and bytes of the name of an `other`. */
  mode?: string
  bytes?: Buffer
}
export type Commit = {
  oid: string
  tree: string
  parents: string[]
  message: string
  at: Date
  author: Person
}
type Blob = Omit<GitFile, 'path'>

/** Where staged files and leftovers of this repository lie, beside git's own files. */
export const stagingOf = (gitdir: string): string => join(gitdir, 'bloom', 'staging')

/** The file system that is given to the library. */
export const wholeFiles = (gitdir: string) => ({
  promises: {
    ...fs,
    writeFile: async (path: string, data: Uint8Array | string) => {
      await makeFolder(dirname(path))
      await renameInto(await stage(stagingOf(gitdir), data), path)
      await syncFolder(dirname(path))
    },
  },
})

const byteOrder = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))
const sortName = (entry: TreeEntry): string => (entry.kind === 'folder' ? `${entry.name}/` : entry.name)
/** Git's own order of a tree: bytes, folders as if they ended with a slash. */
const sortBytes = ({ name, kind, mode, bytes }: TreeEntry): Buffer =>
  Buffer.concat([bytes ?? Buffer.from(name), Buffer.from(kind === 'folder' || mode === FOLDER ? '/' : '')])
const FILE = '100644'
const FOLDER = '40000'

/**
 * The entries of a tree. Read here and not by the library, which throws on a name with a backslash and so would close a whole garden
 * for one pushed file.
 */
function entriesOf(object: Uint8Array): TreeEntry[] {
  const bytes = Buffer.from(object)
  const found: TreeEntry[] = []
  for (let at = 0; at < bytes.length; ) {
    const [space, end] = [bytes.indexOf(0x20, at), bytes.indexOf(0, at)]
    if (space < 0 || end < space || end + 21 > bytes.length) throw new Error('the tree is torn')
    const mode = bytes.toString('latin1', at, space).replace(/^0+/, '')
    const raw = bytes.subarray(space + 1, end)
    const [name, oid] = [raw.toString('utf8'), bytes.toString('hex', end + 1, end + 21)]
    const kind = mode === FILE ? 'file' : mode === FOLDER ? 'folder' : 'other'
    const isPlain = kind !== 'other' && Buffer.from(name).equals(raw)
    found.push(isPlain ? { name, kind, oid } : { name, kind: 'other', oid, mode, bytes: Buffer.from(raw) })
    at = end + 21
  }
  return found
}
const utf8Of = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('utf8')
/** The bytes of a tree, in git's own order: modes 100644 and 40000, and what is no plain file as it was read. */
export function treeBytes(entries: readonly TreeEntry[]): Buffer {
  const sorted = [...entries].sort((a, b) => Buffer.compare(sortBytes(a), sortBytes(b)))
  return Buffer.concat(
    sorted.flatMap(({ name, kind, oid, mode, bytes }) => [
      Buffer.from(`${mode ?? (kind === 'folder' ? FOLDER : FILE)} `),
      bytes ?? Buffer.from(name),
      Buffer.from([0]),
      Buffer.from(oid, 'hex'),
    ]),
  )
}

export class GitObjects {
  readonly #at: { fs: ReturnType<typeof wholeFiles>; gitdir: string }
  /** The texts of notes are kept by the gardens that hold them. */
  readonly #blobs = new BoundedCache<Blob>(16 * 1024 * 1024)
  readonly #trees = new BoundedCache<TreeEntry[]>(200_000)
  readonly #commits = new BoundedCache<Commit>(20_000)

  constructor(gitdir: string) {
    this.#at = { fs: wholeFiles(gitdir), gitdir }
  }

  async blob(oid: string): Promise<Blob> {
    return this.#blobs.get(oid) ?? (await this.#readBlob(oid))
  }

  async tree(oid: string): Promise<TreeEntry[]> {
    return this.#trees.get(oid) ?? (await this.#readTree(oid))
  }

  async commit(oid: string): Promise<Commit> {
    return this.#commits.get(oid) ?? (await this.#readCommit(oid))
  }

  /** Reads what is in the repository, whatever was read before; the library compares it with the id. */
  async reread(oid: string, kind: ObjectKind): Promise<void> {
    if (kind === 'blob') await this.#readBlob(oid)
    else if (kind === 'tree') await this.#readTree(oid)
    else await this.#readCommit(oid)
  }

  async #readBlob(oid: string): Promise<Blob> {
    const bytes = await this.#reading(oid, () => this.#contentOf('blob', oid))
    const value = { oid, bytes, text: utf8Of(bytes), sha256: sha256Hex(bytes) }
    return this.#blobs.set(oid, value, bytes.length * 3 + 200)
  }

  async #readTree(oid: string): Promise<TreeEntry[]> {
    const entries = await this.#reading(oid, async () =>
      entriesOf(await this.#contentOf('tree', oid)).sort((a, b) => byteOrder(sortName(a), sortName(b))),
    )
    return this.#trees.set(oid, entries, entries.length + 1)
  }

  async #readCommit(oid: string): Promise<Commit> {
    if (!/^[0-9a-f]{40}$/.test(oid)) throw new Refused('NOT_FOUND', 'There is no such revision.')
    const bytes = await this.#reading(oid, () => this.#contentOf('commit', oid))
    const { committer, ...commit } = await this.#reading(oid, async () => readCommit(bytes))
    return this.#commits.set(oid, { oid, ...commit, at: committer.at })
  }

  /** Of a loose object its file, which the library would read by way of several questions; of a packed one what the library finds. */
  async #contentOf(kind: ObjectKind, oid: string): Promise<Uint8Array> {
    const loose = await readIfThere(looseFile(this.#at.gitdir, oid))
    if (loose) return contentOf(kind, { oid, object: loose, format: 'deflated' })
    const { object, format, type } = await git.readObject({ ...this.#at, oid, format: 'deflated' })
    return contentOf(kind, { oid, object: object as Uint8Array, format, type })
  }

  async #reading<T>(oid: string, read: () => Promise<T>): Promise<T> {
    try {
      return await read()
    } catch (error) {
      const code = (error as { code?: string }).code ?? 'fault'
      if (code === 'NotFoundError') throw new Refused('NOT_FOUND', 'There is no such revision.', { oid })
      throw new StorageUnavailable(`git could not read ${oid} (${code})`, { cause: error })
    }
  }
}
