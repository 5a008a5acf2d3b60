import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { BoundedCache } from '#domain/kernel/bounded-cache.ts'
import type { Merge } from '#domain/proposal/merge.rules.ts'
import { makeFolder, sweepStaging } from '#server/adapters/file-system/durable-file.ts'
import type {
  CommitInput,
  FileHistory,
  FileHistoryOptions,
  GitEntry,
  GitFile,
  GitRepository,
  GitVerification,
  MergeTexts,
  OtherEntry,
} from '#server/ports/git-repository.ts'
import { StorageUnavailable } from '#server/ports/object-store.ts'
import { BranchCommits, isBehind } from './branch-commits.ts'
import { readBranch, updateBranchFile } from './branch-file.ts'
import { commitLog } from './commit-log.ts'
import { fileHistory } from './file-history.ts'
import { renamedFrom } from './file-renames.ts'
import { GitObjects, stagingOf } from './git-objects.ts'
import { changeTree, differences, fileAt, filesBelow, othersBelow } from './git-trees.ts'
import { mergeTexts } from './merge-file.ts'
import { ObjectDraft } from './object-draft.ts'
import { sweepRepository } from './sweep-repository.ts'
import { verifyRepository } from './verify-repository.ts'

/**
 * The garden's repository without git installed: isomorphic-git on a bare repository, no index, no work tree, no hooks.
 *
 * `commit` writes blobs, trees and the commit, each whole and flushed, and nobody sees them; `updateBranch` is the one visible
 * moment, a compare-and-set under git's own lock. Killed between the two, the objects are garbage and the branch is as it
 * was; the same input committed again gives the same blobs and trees. Objects are cached by id, the branch never. A repository that
 * lost its branch can be opened: whoever asks for the head is told, and so is the health of the system.
 */
export async function openGitRepository(gitdir: string): Promise<GitRepository> {
  if (!existsSync(join(gitdir, 'objects'))) throw new StorageUnavailable('the repository has no commit yet')
  await makeFolder(stagingOf(gitdir))
  await sweepStaging(stagingOf(gitdir))
  return new BareRepository(gitdir)
}

const MODES: Record<string, OtherEntry> = {
  '120000': 'symlink',
  '100755': 'executable',
  '160000': 'module',
  '100644': 'not_utf8_name',
  '40000': 'not_utf8_name',
}

class BareRepository implements GitRepository {
  readonly #gitdir: string
  readonly #objects: GitObjects
  readonly #lists = new BoundedCache<GitEntry[]>(100_000)
  readonly #others = new BoundedCache<{ path: string; reason: OtherEntry }[]>(100_000)
  readonly #branch = new BranchCommits(async (oid) => (await this.#objects.commit(oid)).parents)

  constructor(gitdir: string) {
    this.#gitdir = gitdir
    this.#objects = new GitObjects(gitdir)
  }

  async head(): Promise<string> {
    const oid = await readBranch(this.#gitdir)
    if (oid === null) throw new StorageUnavailable('the repository has no commit yet')
    return oid
  }

  async read(path: string, revision?: string): Promise<GitFile | null> {
    const { tree } = await this.#objects.commit(revision ?? (await this.head()))
    const oid = await fileAt(this.#objects, tree, path)
    return oid === null ? null : { path, ...(await this.#objects.blob(oid)) }
  }

  async list(revision?: string): Promise<GitEntry[]> {
    const { tree } = await this.#objects.commit(revision ?? (await this.head()))
    const files = this.#lists.get(tree) ?? (await filesBelow(this.#objects, tree))
    this.#lists.set(tree, files, files.length + 1)
    return [...files]
  }

  async others(revision?: string): Promise<{ path: string; reason: OtherEntry }[]> {
    const { tree } = await this.#objects.commit(revision ?? (await this.head()))
    const known = this.#others.get(tree)
    if (known) return [...known]
    const found = await othersBelow(this.#objects, tree)
    const others = found.map(({ path, mode = '' }) => ({ path, reason: MODES[mode] ?? 'not_file' }))
    this.#others.set(tree, others, others.length + 1)
    return [...others]
  }

  async commit({ parent, changes, message, author, committer }: CommitInput): Promise<string> {
    const { tree: base } = await this.#objects.commit(parent)
    const draft = new ObjectDraft(this.#objects, this.#gitdir)
    const blobs: { path: string; blob: string | null }[] = []
    for (const { path, content } of changes) {
      blobs.push({ path, blob: content === null ? null : await draft.writeBlob(content) })
    }
    const tree = await changeTree(draft, base, blobs)
    const commit = await draft.writeCommit({ tree, parents: [parent], message, author, committer })
    await draft.flush()
    return commit
  }

  async updateBranch(expected: string, next: string): Promise<boolean> {
    const { parents } = await this.#objects.commit(next)
    if (parents.length !== 1 || parents[0] !== expected)
      throw new TypeError('history is linear: not a child of the head')
    return await updateBranchFile(this.#gitdir, expected, next)
  }

  async log({ from, ...bounds }: { from?: string; until?: string; limit?: number } = {}) {
    const commits = await commitLog(this.#objects, { from: from ?? (await this.head()), ...bounds })
    return commits.map(({ tree: _, ...commit }) => commit)
  }

  async fileHistory(path: string, { from, ...bounds }: FileHistoryOptions): Promise<FileHistory> {
    return fileHistory(this.#objects, path, { from: from ?? (await this.head()), ...bounds })
  }

  async renamedFrom(path: string, revision: string) {
    return await renamedFrom(this.#objects, path, await this.#objects.commit(revision))
  }

  async isOnBranch(oid: string) {
    return await this.#branch.has(await this.head(), oid)
  }

  async isBehind(oid: string, revision: string) {
    return await isBehind(this.#objects, oid, revision)
  }

  async changedPaths(oid: string, since?: string) {
    const { tree, parents } = await this.#objects.commit(oid)
    const earlier = since ?? parents[0]
    const before = earlier === undefined ? null : (await this.#objects.commit(earlier)).tree
    return await differences(this.#objects, [before, tree])
  }

  merge(texts: MergeTexts): Promise<Merge> {
    return mergeTexts(texts)
  }

  verify(signal?: AbortSignal): Promise<GitVerification> {
    return verifyRepository(this.#gitdir, signal)
  }

  sweep(onFault?: (error: unknown) => void): Promise<string[]> {
    return sweepRepository(this.#gitdir, onFault)
  }
}
