import { execFile } from 'node:child_process'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { GitVerification } from '#server/ports/git-repository.ts'
import { StorageUnavailable } from '#server/ports/object-store.ts'
import { readBranch } from './branch-file.ts'
import { CONSOLE_GIT } from './git-at-work.ts'
import { GitObjects } from './git-objects.ts'
import { reachableFrom } from './reachable-objects.ts'

/**
 * Whether the repository is whole: every object of the branch and its history is there, and has the content that its id says.
 *
 * `git fsck --full` where git is installed and may read the folder; it also sees packs and objects that no branch needs. Without it, and
 * where it gives up, the same question is answered by reading everything that the branch needs. What git says of the form of an object
 * (`error in commit …: badDate`) is no damage: it was written so. A git that somebody ended says nothing: that throws.
 */
export async function verifyRepository(gitdir: string, signal?: AbortSignal): Promise<GitVerification> {
  const commit = await readBranch(gitdir)
  if (commit === null) throw new StorageUnavailable('the repository has no commit yet')
  const faults = await faultsByGit(gitdir, signal)
  if (faults === null) return await verifyByReading(gitdir, { commit, signal })
  return { by: 'git', commit, objects: null, faults }
}

const MAX_FAULTS = 50
const run = promisify(execFile)

/** `code` is the exit code, null after a signal, or names why git was not started or not heard to its end. */
type Failed = { code?: number | string | null; stdout?: string; stderr?: string }

/** What git exits with when it gives up: over the owner of the folder, its memory, or an object that it cannot pass. */
const GAVE_UP = 128

/** Null where git has no answer: it cannot be started, or it gave up. */
async function faultsByGit(gitdir: string, signal?: AbortSignal): Promise<string[] | null> {
  const args = ['--git-dir', gitdir, 'fsck', '--full', '--no-dangling', '--no-reflogs', '--no-progress']
  const options = {
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, ...CONSOLE_GIT, LC_ALL: 'C' },
    ...(signal ? { signal } : {}),
  }
  const failed = await run('git', args, options).then(
    () => null,
    (error: Failed) => error,
  )
  signal?.throwIfAborted()
  if (!failed) return []
  if (typeof failed.code === 'string' || failed.code === GAVE_UP) return null
  const lines = `${failed.stdout ?? ''}\n${failed.stderr ?? ''}`
    .split('\n')
    .filter((line) => FINDING.test(line))
  if (typeof failed.code !== 'number' || lines.length === 0)
    throw new StorageUnavailable('git fsck ended before it was done', { cause: failed })
  return faultsIn(lines)
}

const FINDING = /^(error|missing|fatal|bad)/

/** One line for each object: git names one that is missing again with everything that leads to it. */
function faultsIn(findings: string[]): string[] {
  const lines = findings.filter((line) => !/^error in \w+ [0-9a-f]{40}: /.test(line))
  const found = new Map(lines.map((line) => [line.match(/[0-9a-f]{40}/)?.[0] ?? line, line]))
  return [...found.values()].slice(0, MAX_FAULTS)
}

/** The same without git; it lets other work of the process go on between two objects. */
export async function verifyByReading(
  gitdir: string,
  { commit, signal }: { commit: string; signal?: AbortSignal | undefined },
): Promise<GitVerification> {
  const faults: string[] = []
  let objects = 0
  const walk = reachableFrom(
    new GitObjects(gitdir),
    { kind: 'commit', oid: commit },
    {
      seen: new Set(),
      readBlobs: true,
      onFault: ({ kind, oid }, error) =>
        void faults.push(`${error instanceof StorageUnavailable ? 'unreadable' : 'missing'} ${kind} ${oid}`),
    },
  )
  for await (const _ of walk) {
    signal?.throwIfAborted()
    objects++
    await nextTurn()
  }
  return { by: 'console', commit, objects, faults: faults.slice(0, MAX_FAULTS) }
}
