import { existsSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import { discardMany, stageMany, syncFolders } from '#server/adapters/file-system/durable-batch.ts'
import { makeUnflushed } from '#server/adapters/file-system/durable-file.ts'
import { mapConcurrently } from '#server/concurrency/map-concurrently.ts'
import { StorageUnavailable } from '#server/ports/object-store.ts'
import { type CommitContent, commitBytes } from './commit-object.ts'
import { type GitObjects, stagingOf, type TreeEntry, treeBytes } from './git-objects.ts'
import { looseFile, looseObject, type ObjectKind } from './loose-object.ts'

/**
 * New objects on their way into a repository. An object has its id at once, so a whole commit is made in memory; then its files are written and
 * flushed side by side, and named one after another, what an object refers to before it: whenever a process is killed, no object that is
 * there lacks another. Nobody sees them until a branch does.
 */
/** More than a proposal changes; an import writes them in parts. */
const MAX_OBJECTS = 128
const MAX_BYTES = 8 * 1024 * 1024
const AT_ONCE = 16

export class ObjectDraft {
  readonly #objects: GitObjects
  readonly #gitdir: string
  readonly #files = new Map<string, Uint8Array>()
  readonly #kinds = new Map<string, ObjectKind>()
  #bytes = 0

  constructor(objects: GitObjects, gitdir: string) {
    this.#objects = objects
    this.#gitdir = gitdir
  }

  tree(oid: string): Promise<TreeEntry[]> {
    return this.#objects.tree(oid)
  }

  writeBlob(content: Uint8Array | string): Promise<string> {
    return this.#add('blob', Buffer.from(content as string))
  }

  /** Writes the tree: modes 100644 and 40000, and what is no plain file as it was read. */
  writeTree(entries: readonly TreeEntry[]): Promise<string> {
    return this.#add('tree', treeBytes(entries))
  }

  writeCommit(commit: CommitContent): Promise<string> {
    return this.#add('commit', commitBytes(commit))
  }

  /** Durable when it returns. Written counts as written once it can be read back whole: what is read is compared with the id. */
  async flush(): Promise<void> {
    const [files, kinds] = [[...this.#files], [...this.#kinds]]
    this.#files.clear()
    this.#kinds.clear()
    this.#bytes = 0
    await this.#faults(async () => {
      await this.#write(
        files,
        kinds.map(([oid]) => dirname(looseFile(this.#gitdir, oid))),
      )
      await mapConcurrently(kinds, AT_ONCE, ([oid, kind]) => this.#objects.reread(oid, kind))
    })
  }

  /** Folders are flushed for objects that are there already, too: their writer may have been killed before it came to that. */
  async #write(files: readonly (readonly [string, Uint8Array])[], folders: string[]): Promise<void> {
    const parents = await mapConcurrently([...new Set(folders)], AT_ONCE, makeUnflushed)
    const staged = await stageMany(
      stagingOf(this.#gitdir),
      files.map(([, data]) => data),
    )
    try {
      for (const [n, [path]] of files.entries()) renameSync(staged[n] as string, path)
    } catch (error) {
      await discardMany(staged)
      throw error
    }
    await syncFolders([...parents.flat(), ...folders, ...files.map(([path]) => dirname(path))])
  }

  async #add(kind: ObjectKind, content: Uint8Array): Promise<string> {
    const { oid, object } = await this.#faults(() => looseObject(kind, content))
    const path = looseFile(this.#gitdir, oid)
    if (!existsSync(path)) {
      this.#files.set(path, object)
      this.#bytes += object.length
    }
    this.#kinds.set(oid, kind)
    if (this.#kinds.size >= MAX_OBJECTS || this.#bytes >= MAX_BYTES) await this.flush()
    return oid
  }

  async #faults<T>(write: () => Promise<T>): Promise<T> {
    try {
      return await write()
    } catch (error) {
      if (error instanceof StorageUnavailable) throw error
      const code = (error as { code?: string }).code ?? 'fault'
      throw new StorageUnavailable(`git could not write an object (${code})`, { cause: error })
    }
  }
}
