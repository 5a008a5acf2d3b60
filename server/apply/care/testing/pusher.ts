/** A worker's push as a process of its own, killed between the push and its mark: `pusher.ts <folder> <address of the ledger> <remote>`. */
import { openGitRemote } from '#server/adapters/git-remote/open-git-remote.ts'
import type { GitRemote } from '#server/ports/git-remote.ts'
import { openKit } from '#server/proposals/testing/garden-kit.ts'
import { pushBranch } from '../push-branch.ts'

const [folder = '', url = '', address = ''] = process.argv.slice(2)
const kit = await openKit(folder, { webUrl: url, workerUrl: url })
const real = openGitRemote(kit.gitdir, address)
const remote: GitRemote = {
  address: real.address,
  async push(commit, signal) {
    const outcome = await real.push(commit, signal)
    if (outcome.ok) process.kill(process.pid, 'SIGKILL')
    return outcome
  },
}
await pushBranch({ ...kit.worker, remote }, new AbortController().signal)
