import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { BRANCH } from '#server/adapters/git-repository/branch-file.ts'
import { CONSOLE_GIT } from '#server/adapters/git-repository/git-at-work.ts'
import { type GitRemote, type PushFault, pushFault } from '#server/ports/git-remote.ts'
import { redactText } from '#server/redaction/redact.ts'

/**
 * A remote over ssh, by the `git` and `ssh` of this machine: the one kind of remote that needs them. Keys, agent and known hosts are those of
 * the account under which the console runs. Nothing asks: no terminal, no password, no unknown host; no hook of the garden's
 * repository runs.
 */
export function sshRemote(gitdir: string, url: string): GitRemote {
  return {
    address: url,
    async push(commit, signal) {
      const args = [
        ...['-c', 'core.hooksPath=/dev/null', '-c', 'credential.helper=', '--git-dir', gitdir],
        ...['push', '--porcelain', '--no-follow-tags', '--', url, `${commit}:${BRANCH}`],
      ]
      try {
        await run('git', args, { env: environment(), signal, maxBuffer: MAX_OUTPUT })
        return { ok: true }
      } catch (error) {
        return signal.aborted ? pushFault('timeout', 'The remote took too long.') : faultOf(error as Failed)
      }
    },
  }
}

const run = promisify(execFile)
const MAX_OUTPUT = 4 * 1024 * 1024

/** What ssh needs to find the account's keys, and nothing of the console's own secrets. */
const KEPT = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SSH_AUTH_SOCK', 'TMPDIR', 'SYSTEMROOT'] as const

const environment = (): NodeJS.ProcessEnv => ({
  NODE_ENV: process.env.NODE_ENV,
  ...Object.fromEntries(KEPT.map((name) => [name, process.env[name]])),
  ...CONSOLE_GIT,
  LC_ALL: 'C',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'true',
  SSH_ASKPASS: 'true',
  SSH_ASKPASS_REQUIRE: 'never',
  GIT_SSH_COMMAND: 'ssh -o BatchMode=yes -o ConnectTimeout=15',
})

type Failed = { code?: string | number; stdout?: string; stderr?: string; message: string }

/** In the order in which they are looked for, in what git and ssh say in English. */
const SIGNS: readonly (readonly [RegExp, PushFault['problem'], string])[] = [
  [
    /\[rejected\].*\((fetch first|non-fast-forward)/,
    'diverged',
    `The branch ${BRANCH} of the remote has commits that the garden does not have.`,
  ],
  [/\[remote rejected\]|\[rejected\]/, 'rejected', 'The remote rejected the push'],
  [
    /Permission denied|Host key verification failed|Authentication failed/i,
    'refused',
    'ssh was refused, or does not know the host',
  ],
  [
    /Could not resolve hostname|Connection (refused|timed out|closed|reset)|No route to host|unreachable/i,
    'unreachable',
    'No connection',
  ],
  [/does not appear to be a git repository|not found|does not exist/i, 'not_found', 'There is no repository'],
]

function faultOf({ code, stdout = '', stderr = '', message }: Failed): PushFault {
  if (code === 'ENOENT')
    return pushFault(
      'no_git',
      'A remote over ssh needs git and ssh on this machine, and git is not installed.',
    )
  if (/cannot run ssh|ssh: not found/.test(stderr))
    return pushFault(
      'no_git',
      'A remote over ssh needs git and ssh on this machine, and ssh is not installed.',
    )
  const said = `${stdout}\n${stderr}`
  for (const [sign, problem, text] of SIGNS) {
    const line = said.split('\n').find((one) => sign.test(one))
    if (line) return pushFault(problem, text.endsWith('.') ? text : `${text}: ${oneLine(line)}`)
  }
  return pushFault('failed', oneLine(stderr || message))
}

const oneLine = (text: string): string => redactText(text.replace(/\s+/g, ' ').trim()).slice(0, 300)
