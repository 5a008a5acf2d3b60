import type { PushProblem } from '#domain/garden/remote.rules.ts'

/**
 * The repository elsewhere that follows the garden's branch [adapters#git-remote].
 *
 * `push` moves the remote's branch `main` to a commit of the garden, forward only: whatever the remote has that the commit does not stand on
 * stays, and the answer is `diverged`. Repeating it is safe. It writes nothing into the garden's own repository, asks nobody for
 * anything, and ends when the signal aborts. Messages and the address hold no credentials.
 */
export interface GitRemote {
  readonly address: string
  push(commit: string, signal: AbortSignal): Promise<PushOutcome>
}

export type PushFault = { ok: false; problem: PushProblem; message: string }
export type PushOutcome = { ok: true } | PushFault

export const pushFault = (problem: PushProblem, message: string): PushFault => ({
  ok: false,
  problem,
  message,
})
