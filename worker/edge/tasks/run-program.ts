/**
 * Runs the executable that answers prompts, as an argument array, in a process group of its own [edge#work].
 *
 *   running → at its limit: SIGTERM → 5 s → SIGKILL → ended
 *           → lease lost, node stops: SIGTERM → 3 s → SIGKILL → ended; also while the five seconds run
 *
 * The leader of the group is a shell that does nothing but watch: when this process is gone, however it went, its end of a pipe closes and the whole
 * group is killed, so a killed node leaves no child behind. The prompt goes to standard input: arguments are visible to everybody and limited in size.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'

export type ProgramEnd = {
  /** Null when it did not end by itself. */
  code: number | null
  ended: 'by itself' | 'at the limit' | 'asked'
  /** Standard output; null when there was more of it than is kept. */
  output: string | null
  /** The end of both outputs. */
  tail: string
  durationMs: number
}

type Program = {
  file: string
  args: readonly string[]
  env: Readonly<Record<string, string>>
  cwd: string
  input: string
  limitMs: number
  /** The lease is lost, or the node stops. */
  asked: AbortSignal
  graceMs?: { [end in 'at the limit' | 'asked']: number }
  /** What was printed just now, by either output. */
  onText?: (text: string) => void
}

/** A node that lost its lease has 5 s in which the whole group has to be gone, with what the kill itself takes on a busy machine. */
export const GRACE_MS = { 'at the limit': 5_000, asked: 3_000 }
const OUTPUT_CHARACTERS = 2 * 1024 * 1024
const TAIL_CHARACTERS = 64 * 1024

/** `$@` runs with the prompt (descriptor 4) as its input; descriptor 3 ends with the process that started all this. */
const WATCH = `trap : TERM
"$@" <&4 3<&- 4<&- &
child=$!
exec 4<&-
( trap '' TERM; cat <&3 >/dev/null 2>&1; kill -KILL 0 ) >/dev/null 2>&1 &
exec 3<&-
while :; do wait $child; code=$?; kill -0 $child 2>/dev/null || break; done
exit $code`

export async function runProgram(program: Program): Promise<ProgramEnd> {
  const { file, args, env, cwd, input, limitMs, asked, graceMs = GRACE_MS, onText } = program
  const began = performance.now()
  const child: ChildProcess = spawn('/bin/sh', ['-c', WATCH, 'sh', file, ...args], {
    cwd,
    env: { ...env } as NodeJS.ProcessEnv,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
  })
  const prompt = child.stdio[4] as Writable
  // A program that reads no prompt closes its end.
  prompt.on('error', () => {})
  prompt.end(input)
  const lifeline = child.stdio[3] as Writable
  lifeline.on('error', () => {})
  let output: string | null = ''
  let tail = ''
  const keep = (text: string, isOutput: boolean) => {
    if (isOutput && output !== null)
      output = output.length + text.length > OUTPUT_CHARACTERS ? null : output + text
    tail = (tail + text).slice(-TAIL_CHARACTERS)
    onText?.(text)
  }
  const over = new AbortController()
  let ended: ProgramEnd['ended'] = 'by itself'
  const limits = (async () => {
    const either = AbortSignal.any([asked, over.signal])
    const atLimit = await pause(limitMs, true, { signal: either }).catch(() => false)
    if (over.signal.aborted) return
    ended = atLimit ? 'at the limit' : 'asked'
    killGroup(child.pid, 'SIGTERM')
    const alarm = atLimit ? pause(graceMs['at the limit'], true, { signal: over.signal }) : null
    const lost = whenAborted(asked).then(() => pause(graceMs.asked, true, { signal: over.signal }))
    const waited = await Promise.race(alarm ? [alarm, lost] : [lost]).catch(() => false)
    if (waited) killGroup(child.pid, 'SIGKILL')
  })()
  ;(child.stdout as Readable).setEncoding('utf8').on('data', (text: string) => keep(text, true))
  ;(child.stderr as Readable).setEncoding('utf8').on('data', (text: string) => keep(text, false))
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(127))
    child.once('exit', (value) => resolve(value))
  })
  // What the program left behind in its group, and the watch over it, go with it.
  killGroup(child.pid, 'SIGKILL')
  over.abort()
  lifeline.destroy()
  await Promise.all([closed, limits])
  return {
    ...{ code: ended === 'by itself' ? code : null, ended, output, tail },
    durationMs: Math.round(performance.now() - began),
  }
}

export const whenAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid) process.kill(-pid, signal)
  } catch {
    // Nobody of the group is left.
  }
}
