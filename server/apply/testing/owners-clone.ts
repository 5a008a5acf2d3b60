/** A clone of the garden on the owner's own machine, by git itself. */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const PERSON = ['-c', 'user.name=Owner', '-c', 'user.email=owner@garden.example']

export async function ownersClone({ folder, gitdir }: { folder: string; gitdir: string }) {
  const clone = join(folder, 'clone')
  const git = async (...args: string[]) =>
    (await run('git', [...PERSON, ...args], { cwd: clone })).stdout.trim()
  await run('git', ['clone', '--quiet', gitdir, clone])
  return {
    /** Commits a file there; its id. */
    async commit(path: string, content: string): Promise<string> {
      await writeFile(join(clone, path), content)
      await git('add', '.')
      await git('commit', '--quiet', '--message', `By hand: ${path}`)
      return git('rev-parse', 'HEAD')
    },
    /** Pulls by a merge, whose first parent is the owner's commit, and pushes it; its id. */
    async mergeAndPush(): Promise<string> {
      await git('pull', '--quiet', '--no-rebase', '--no-edit', 'origin', 'main')
      await git('push', '--quiet', 'origin', 'HEAD:main')
      return git('rev-parse', 'HEAD')
    },
  }
}
