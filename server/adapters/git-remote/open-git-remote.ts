import type { GitRemote } from '#server/ports/git-remote.ts'
import { parseRemoteAddress } from '#server/ports/remote-address.ts'
import { directoryRemote } from './directory-remote.ts'
import { httpRemote } from './http-remote.ts'
import { sshRemote } from './ssh-remote.ts'

/** The remote that an address names, for the repository in `gitdir`; throws on what is no address. Nothing is reached yet. */
export function openGitRemote(gitdir: string, text: string): GitRemote {
  const address = parseRemoteAddress(text)
  if (address?.kind === 'http') return httpRemote(gitdir, address)
  if (address?.kind === 'directory') return directoryRemote(gitdir, address.path)
  if (address?.kind === 'ssh') return sshRemote(gitdir, address.url)
  throw new TypeError('not an address of a git remote')
}
