import { type ImportReport, importGarden } from '#server/adapters/git-repository/import-garden.ts'
import { openGitRepository } from '#server/adapters/git-repository/isomorphic-git.ts'
import type { Env } from '#server/env.ts'
import { gardenFolder } from './create-services.ts'

const AUTHOR = { name: 'Garden Bloom Console', email: 'console@garden-bloom.local' }

/**
 * Makes the garden's repository from `GARDEN_DIR`, or from `demo` without one, unless it is there already. `extraFiles` join
 * the first commit where the folder has none of that path; `ours` are those that stand in the garden exactly as given, so
 * that a file which only bears the name of one of ours is not taken for it.
 */
export async function makeFirstGarden(
  env: Pick<Env, 'BLOOM_HOME' | 'GARDEN_DIR'>,
  demo: string,
  extraFiles: readonly { path: string; content: string }[],
): Promise<ImportReport & { ours: string[] }> {
  const gitdir = gardenFolder(env)
  const report = await importGarden(env.GARDEN_DIR ?? demo, gitdir, { author: AUTHOR, extraFiles })
  const garden = await openGitRepository(gitdir)
  const ours: string[] = []
  for (const { path, content } of extraFiles) {
    if ((await garden.read(path))?.text === content) ours.push(path)
  }
  return { ...report, ours }
}
