import { openGitRemote } from '#server/adapters/git-remote/open-git-remote.ts'
import type { Env } from '#server/env.ts'
import type { GitRemote } from '#server/ports/git-remote.ts'
import { gardenFolder } from './create-services.ts'

/** The remote that follows the garden's branch, or null where none is configured. */
export const openGardenRemote = (env: Pick<Env, 'BLOOM_HOME' | 'GARDEN_REMOTE'>): GitRemote | null =>
  env.GARDEN_REMOTE ? openGitRemote(gardenFolder(env), env.GARDEN_REMOTE) : null
