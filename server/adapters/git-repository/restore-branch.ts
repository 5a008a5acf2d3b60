import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { readBranch, updateBranchFile } from './branch-file.ts'
import { pastOf } from './commit-log.ts'
import { GitObjects } from './git-objects.ts'
import { filesBelow } from './git-trees.ts'

/**
 * Bringing a lost or rewound branch back to a commit that is still among the objects.
 *
 * Nothing moves before the commit, its history and its files were read. The move is the usual compare-and-set, so a commit made
 * meanwhile is not overrun. A branch file that holds no commit id is kept beside git's own files, not removed.
 */
export type BranchState = {
  /** Where the branch stands; null without a readable one. */
  head: string | null
  torn: boolean
  /** `contains`: the wanted commit is on it. `behind`: it is a part of the wanted commit's history. */
  relation: 'missing' | 'contains' | 'behind' | 'diverged'
  /** Commits of a diverged branch that the wanted commit does not stand on, newest first. */
  beyond: string[]
  /** Whether the wanted commit can be read with its history and its files. */
  isWhole: boolean
}

/** What the branch and the wanted commit are to each other. */
export async function inspectBranch(gitdir: string, wanted: string): Promise<BranchState> {
  const objects = new GitObjects(gitdir)
  const branch = await readBranch(gitdir).catch(() => undefined)
  const { past, isWhole: isPastWhole } = await readPast(objects, wanted)
  const isWhole = isPastWhole && (await areFilesReadable(objects, wanted))
  const state = { head: branch ?? null, torn: branch === undefined, beyond: [], isWhole }
  if (!branch) return { ...state, relation: 'missing' }
  const { past: ofHead } = await readPast(objects, branch)
  if (ofHead.includes(wanted)) return { ...state, relation: 'contains' }
  if (past.includes(branch)) return { ...state, relation: 'behind' }
  const known = new Set(past)
  return { ...state, relation: 'diverged', beyond: ofHead.filter((oid) => !known.has(oid)) }
}

/** Moves the branch from where it was seen to `wanted`; false when somebody moved it meanwhile. */
export async function restoreBranch(gitdir: string, seen: BranchState, wanted: string): Promise<boolean> {
  const kept = join(gitdir, 'bloom', `torn-branch-${Date.now()}`)
  if (seen.torn) await rename(join(gitdir, 'refs/heads/main'), kept)
  return await updateBranchFile(gitdir, seen.head, wanted)
}

/** What a commit stands on, newest first, as far as it can be read, and whether that is all. */
async function readPast(objects: GitObjects, from: string): Promise<{ past: string[]; isWhole: boolean }> {
  let isWhole = true
  const commits = await pastOf(from, (oid) =>
    objects.commit(oid).catch(() => {
      isWhole = false
      return null
    }),
  )
  return { past: commits.map(({ oid }) => oid), isWhole }
}

async function areFilesReadable(objects: GitObjects, commit: string): Promise<boolean> {
  try {
    const { tree } = await objects.commit(commit)
    for (const { oid } of await filesBelow(objects, tree)) await objects.blob(oid)
    return true
  } catch {
    return false
  }
}
