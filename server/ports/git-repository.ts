import type { Merge } from '#domain/proposal/merge.rules.ts'
/**
 * A bare git repository with one branch, no work tree and no hooks [adapters#git-repository].
 *
 * What is committed here is a line and the branch moves only by compare-and-set; a merge may come by a push. `commit` writes objects that nobody sees; `updateBranch`
 * is the one visible moment. A process killed between the two leaves loose objects, which are garbage and harmless.
 * Faults of the disk are thrown as `StorageUnavailable`; paths that are not garden paths as `PATH_NOT_ALLOWED`.
 */
export interface GitRepository {
  /** The commit the branch stands on, 40 hex digits. */
  head(): Promise<string>
  /** One file at a revision (default: the head), or `null` when that revision has no such file. */
  read(path: string, revision?: string): Promise<GitFile | null>
  /** Every file at a revision, in byte order of the paths. Cached by object id, so repeated calls cost little. */
  list(revision?: string): Promise<GitEntry[]>
  /**
   * Builds blobs (mode 100644), trees and the commit on `parent`; the branch does not move. `content: null` removes the
   * file. Refuses anything that is no garden path, names that fold alike, and removal of what is not there.
   */
  commit(input: CommitInput): Promise<string>
  /** Compare-and-set of the branch, safe between processes: `false` when somebody else moved it. Durable when `true`. */
  updateBranch(expected: string, next: string): Promise<boolean>
  /**
   * Commits from `from` (default: the head) back to what `until` stands on, that included; newest first, at most `limit`. Of a merge that somebody
   * pushed all sides. Everything where `from` does not stand on `until`.
   */
  log(options?: { from?: string; until?: string; limit?: number }): Promise<GitCommit[]>
  /**
   * The commits that changed one file, newest first, from `from` (default: the head) along first parents, of a merge along the one that has the file
   * as the merge has it. Looks back no longer than
   * `withinMs` and finds at most `limit`: `next` is where to look on, null at the beginning of the branch. Where a commit renamed the file, it
   * goes on by the path before, if `follows` says so.
   */
  fileHistory(path: string, options: FileHistoryOptions): Promise<FileHistory>
  /**
   * The note that a commit gave this path, or null: one that it removed, with the same text or the most similar one, as git finds it [adapters#renames].
   * Also null where the path was there before.
   */
  renamedFrom(path: string, revision: string): Promise<Rename | null>
  /** Whether a commit is the head or an ancestor of it; `false` for whatever else the repository holds. Cheap when asked again. */
  isOnBranch(oid: string): Promise<boolean>
  /** Whether a revision is a commit or stands on it. */
  isBehind(oid: string, revision: string): Promise<boolean>
  /** The files in which a commit differs from another, or from its first parent, in byte order. */
  changedPaths(
    oid: string,
    since?: string,
  ): Promise<{ path: string; kind: 'added' | 'modified' | 'removed' }[]>
  /** What a revision (default: the head) holds beside the files of `list`, in byte order of the paths; every commit keeps it. Cached as `list` is. */
  others(revision?: string): Promise<{ path: string; reason: OtherEntry }[]>
  /** Merges two changes of one text as `git merge-file --diff3` does; the whole text is one overlap where git is not there to do it. */
  merge(texts: MergeTexts): Promise<Merge>
  /**
   * Reads the branch with its whole history and compares every object with its id: by `git fsck` where git is installed, which looks at all
   * objects, otherwise by itself. Throws when it could not be done.
   */
  verify(signal?: AbortSignal): Promise<GitVerification>
  /**
   * Removes files and locks that ended processes left (see the adapter for whose); returns their names. What cannot be looked at or removed
   * stays, and `onFault` is told of it; the rest is removed all the same.
   */
  sweep(onFault?: (error: unknown) => void): Promise<string[]>
}

/** A text, and what became of it on two sides. */
export type MergeTexts = { base: string; current: string; proposed: string }

/** `faults` are lines that name objects, at most 50; none when the repository is whole. */
export type GitVerification = {
  by: 'git' | 'console'
  commit: string
  objects: number | null
  faults: string[]
}

/** Why an entry of a tree is no file of a garden: its mode, or a name that is not UTF-8. */
export type OtherEntry = 'symlink' | 'executable' | 'module' | 'not_file' | 'not_utf8_name'

/** Who wrote or committed; `at` is the date of the signature (default: now), kept to the second. */
export type Person = { name: string; email: string; at?: Date }
/** `sha256` is of the bytes; `text` is their UTF-8 reading. */
export type GitFile = { path: string; text: string; bytes: Uint8Array; sha256: string; oid: string }
export type GitEntry = { path: string; oid: string; size?: number }
export type GitCommit = { oid: string; parents: string[]; message: string; at: Date; author: Person }
/** Where a file stood before a commit, `by`, renamed it; `revision` is the last that has it there. */
export type Rename = { path: string; by: string; revision: string }
export type FileHistoryOptions = {
  from?: string
  limit: number
  withinMs: number
  /** Without it no rename is followed. */
  follows?: (rename: Rename) => boolean | Promise<boolean>
}
/** `oid`: the file's blob after the commit, null where the commit removed it; `path`: where it stood then. */
export type FileVersion = { commit: GitCommit; oid: string | null; path: string; renamed: Rename | null }
export type FileHistory = { versions: FileVersion[]; next: string | null }
export type CommitInput = {
  parent: string
  changes: { path: string; content: string | null }[]
  message: string
  author: Person
  committer: Person
}
