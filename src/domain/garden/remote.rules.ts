/** The remote that follows the garden's branch ([apply#remote]): how far a commit has come, what keeps a push back, when it is repeated. */
export const REMOTE_MARKS = ['none', 'local', 'pushed'] as const
export type RemoteMark = (typeof REMOTE_MARKS)[number]

/** `diverged` needs a person, who mends it at the remote; the others may pass. */
export const PUSH_PROBLEMS = [
  'diverged',
  'refused',
  'rejected',
  'not_found',
  'unreachable',
  'timeout',
  'no_git',
  'failed',
] as const
export type PushProblem = (typeof PUSH_PROBLEMS)[number]

/** `local` until the commit was seen on the remote; `none` without a commit or a remote. */
export function remoteMark(of: { configured: boolean; commit: string | null; pushed: boolean }): RemoteMark {
  if (!of.configured || of.commit === null) return 'none'
  return of.pushed ? 'pushed' : 'local'
}

const FIRST_PAUSE_SECONDS = 5
const MAX_PAUSE_SECONDS = 600

/** Seconds before the next attempt after so many failures in a row: 5, each pause twice the one before, at most ten minutes. */
export const pushPause = (failures: number): number =>
  Math.min(MAX_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** Math.min(Math.max(0, failures - 1), 16))
