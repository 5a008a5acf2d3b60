import { promises as fs } from 'node:fs'
import { dirname, join } from 'node:path'
import git from 'isomorphic-git'
import { BoundedCache } from '#domain/kernel/bounded-cache.ts'
import { Refused } from '#domain/kernel/errors.ts'
import { makeFolder, renameInto, stage, syncFolder } from '#server/adapters/file-system/durable-file.ts'
import type { GitFile, Person } from '#server/ports/git-repository.ts'
import { StorageUnavailable, sha256Hex } from '#server/ports/object-store.ts'

/**
 * The objects of a bare repository: blobs, trees and commits by their id, cached, since an id never means anything else.
 *
 * The library writes an object straight to its final name; a kill in the middle would leave a torn object that it then
 * takes for written. So it is given a file system whose writes are whole: aside, flushed, renamed, folder flushed.
 */
export type TreeEntry = { name: string; kind: 'file' | 'folder'; oid: string }
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

const wholeFiles = (gitdir: string) => ({
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
const clean = (text: string): string => text.replace(/[\p{Cc}<>]/gu, ' ').trim() || 'unknown'

const signature = (person: Person, now: Date) => ({
  name: clean(person.name),
  email: clean(person.email).replaceAll(' ', ''),
  timestamp: Math.floor((person.at ?? now).getTime() / 1000),
  timezoneOffset: 0,
})

export class GitObjects {
  readonly #at: { fs: ReturnType<typeof wholeFiles>; gitdir: string }
  readonly #blobs = new BoundedCache<Blob>(64 * 1024 * 1024)
  readonly #trees = new BoundedCache<TreeEntry[]>(200_000)
  readonly #commits = new BoundedCache<Commit>(20_000)

  constructor(gitdir: string) {
    this.#at = { fs: wholeFiles(gitdir), gitdir }
  }

  async blob(oid: string): Promise<Blob> {
    const cached = this.#blobs.get(oid)
    if (cached) return cached
    const { blob } = await this.#reading(oid, () => git.readBlob({ ...this.#at, oid }))
    const bytes = new Uint8Array(blob)
    const value = { oid, bytes, text: Buffer.from(bytes).toString('utf8'), sha256: sha256Hex(bytes) }
    return this.#blobs.set(oid, value, bytes.length * 3 + 200)
  }

  async tree(oid: string): Promise<TreeEntry[]> {
    const cached = this.#trees.get(oid)
    if (cached) return cached
    const { tree } = await this.#reading(oid, () => git.readTree({ ...this.#at, oid }))
    const entries = tree
      .filter((entry) => entry.type === 'tree' || (entry.type === 'blob' && entry.mode === '100644'))
      .map(
        (entry): TreeEntry => ({
          name: entry.path,
          kind: entry.type === 'tree' ? 'folder' : 'file',
          oid: entry.oid,
        }),
      )
      .sort((a, b) => byteOrder(sortName(a), sortName(b)))
    return this.#trees.set(oid, entries, entries.length + 1)
  }

  async commit(oid: string): Promise<Commit> {
    const cached = this.#commits.get(oid)
    if (cached) return cached
    if (!/^[0-9a-f]{40}$/.test(oid)) throw new Refused('NOT_FOUND', 'There is no such revision.')
    const { commit } = await this.#reading(oid, () => git.readCommit({ ...this.#at, oid }))
    const { author, committer, message, parent, tree } = commit
    return this.#commits.set(oid, {
      oid,
      tree,
      parents: parent,
      message,
      at: new Date(committer.timestamp * 1000),
      author: { name: author.name, email: author.email, at: new Date(author.timestamp * 1000) },
    })
  }

  writeBlob(content: Uint8Array | string): Promise<string> {
    return this.#writing(() => git.writeBlob({ ...this.#at, blob: Buffer.from(content as string) }))
  }

  /** Writes the tree in git's own order (bytes, folders as if they ended with a slash); modes 100644 and 40000 alone. */
  async writeTree(entries: readonly TreeEntry[]): Promise<string> {
    const sorted = [...entries].sort((a, b) => byteOrder(sortName(a), sortName(b)))
    const object = Buffer.concat(
      sorted.flatMap(({ name, kind, oid }) => [
        Buffer.from(`${kind === 'folder' ? '40000' : '100644'} ${name}\0`),
        Buffer.from(oid, 'hex'),
      ]),
    )
    return await this.#writing(() =>
      git.writeObject({ ...this.#at, type: 'tree', object, format: 'content' }),
    )
  }

  writeCommit(input: {
    tree: string
    parents: string[]
    message: string
    author: Person
    committer: Person
  }) {
    const now = new Date()
    const commit = {
      tree: input.tree,
      parent: input.parents,
      message: `${input.message.replaceAll('\0', '').trimEnd()}\n`,
      author: signature(input.author, now),
      committer: signature(input.committer, now),
    }
    return this.#writing(() => git.writeCommit({ ...this.#at, commit }))
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

  async #writing(write: () => Promise<string>): Promise<string> {
    try {
      return await write()
    } catch (error) {
      const code = (error as { code?: string }).code ?? 'fault'
      throw new StorageUnavailable(`git could not write an object (${code})`, { cause: error })
    }
  }
}
