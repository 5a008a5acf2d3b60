import { checkObjects } from '#server/apply/care/check-objects.ts'
import { pushBranch } from '#server/apply/care/push-branch.ts'
import type { GitRemote } from '#server/ports/git-remote.ts'
import type { Services } from '#server/services.ts'
import type { Loop } from './loop.ts'

const PUSH_MS = 5_000
const CHECK_MS = 60_000

type Parts = Pick<Services, 'db' | 'garden' | 'log'>

/**
 * Brings the branch to the remote after each application, when a pause is over, and every hour; nothing without a remote [apply#remote]. The
 * first tick waits for no pause: who mended the address starts anew.
 */
export function pushLoop(parts: Parts, remote: GitRemote | null): Loop {
  let passPause = true
  return {
    name: 'garden-push',
    everyMs: PUSH_MS,
    on: ['apply'],
    async tick(signal) {
      const came = remote && (await pushBranch({ ...parts, remote, passPause }, signal))
      passPause = false
      if (!came) return 'idle'
      if ('pushed' in came) parts.log.info({ commit: came.pushed }, 'the remote has the branch')
      else parts.log.warn({ ...came.fault }, 'pushing to the remote failed and will be retried')
      return 'pushed' in came ? 'again' : 'idle'
    },
  }
}

/** Checks every object of the garden's repository, each week and after a crash [apply#integrity]. */
export function gardenCheckLoop(parts: Parts): Loop {
  return {
    name: 'garden-check',
    everyMs: CHECK_MS,
    async tick(signal) {
      const found = await checkObjects(parts, signal)
      if (found && found.faults.length > 0)
        parts.log.error({ ...found }, 'objects of the garden are missing or damaged')
      return 'idle'
    },
  }
}
