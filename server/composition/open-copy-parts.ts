/** What a backup reads and a restore writes, by the adapters that the environment names. */
import path from 'node:path'
import { openGitRepository } from '#server/adapters/git-repository/isomorphic-git.ts'
import {
  makeRepository,
  receiveRepositoryFile,
  repositoryFiles,
  whileBranchStands,
} from '#server/adapters/git-repository/repository-copy.ts'
import type { BackupSource } from '#server/copies/make-backup.ts'
import type { RestoreTarget } from '#server/copies/restore-backup.ts'
import type { Env } from '#server/env.ts'
import { gardenFolder } from './create-services.ts'
import { openStore } from './open-store.ts'

export async function openBackupParts(
  env: Env,
): Promise<Pick<BackupSource, 'store' | 'garden' | 'gardenFiles'>> {
  const gitdir = gardenFolder(env)
  return {
    store: await openStore(env),
    garden: await openGitRepository(gitdir),
    gardenFiles: {
      gitdir,
      whileBranchStands: (work) => whileBranchStands(gitdir, work),
      files: () => repositoryFiles(gitdir),
    },
  }
}

/** The store and a repository that is begun here; `env` names the home they are for. */
export async function openRestoreParts(
  env: Env,
): Promise<Pick<RestoreTarget, 'store' | 'spool' | 'receiveGardenFile' | 'openGarden'>> {
  const gitdir = gardenFolder(env)
  await makeRepository(gitdir)
  return {
    store: await openStore(env),
    spool: path.join(env.BLOOM_HOME, 'spool'),
    receiveGardenFile: (name, chunks) => receiveRepositoryFile(gitdir, name, chunks),
    openGarden: () => openGitRepository(gitdir),
  }
}
