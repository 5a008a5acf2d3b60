import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { AgentRefusal } from './agent-refusal.ts'

/**
 * Runs the node's own command line as a child [edge#commands-of-the-agent].
 *
 * States: running → (limit or stop) terminating → ended. A child has a process group of its own. Its end is asked with SIGTERM, upon which a push
 * releases its lock, and forced with SIGKILL after a grace; both go to the whole group, and what outlives its leader is killed with it. The channel
 * tells the child when this process is gone, so that a killed agent leaves no sync behind that nobody waits for.
 */
export type CommandEnd = {
  /** Null when it did not end by itself. */
  returncode: number | null
  stdout: string
  stderr: string
  ended: 'by itself' | 'at the limit' | 'with the agent'
}
export type CommandRun = { args: readonly string[]; env: Readonly<Record<string, string | undefined>> }

export type CommandLimits = {
  /** How long a command may take. */
  limitMs: number
  /** How long it may take to end once asked. With the limit less than the control plane waits (150 s). */
  graceMs: number
  /** How many may run at once. */
  atOnce: number
}
export const COMMAND_LIMITS: CommandLimits = { limitMs: 120_000, graceMs: 15_000, atOnce: 4 }

/** How long output may stay open behind a child that has ended. */
const PIPES_MS = 2_000

export type CommandRunner = {
  /** Runs it to its end. Throws `AgentRefusal` when too many run, or none can be started. */
  run: (run: CommandRun) => Promise<CommandEnd>
  running: () => number
  /** Settles when no command runs any more. */
  idle: () => Promise<void>
}

type Program = {
  program: readonly string[]
  cwd: string
  stopped: AbortSignal
  /** Takes secrets out of the output, before it is cut. */
  mask: (text: string) => string
  limits?: CommandLimits
}

export function createCommandRunner(options: Program): CommandRunner {
  const { limits = COMMAND_LIMITS, stopped } = options
  const running = new Set<Promise<unknown>>()
  return {
    async run(given) {
      if (stopped.aborted) throw new AgentRefusal(503, 'The agent is shutting down.')
      if (running.size >= limits.atOnce)
        throw new AgentRefusal(
          503,
          `${running.size} commands are running on this node: wait for one to end and try again.`,
          { 'retry-after': '30' },
        )
      const end = runChild(given, { ...options, limits })
      running.add(end)
      try {
        return await end
      } finally {
        running.delete(end)
      }
    },
    running: () => running.size,
    idle: async () => void (await Promise.allSettled(running)),
  }
}

async function runChild(given: CommandRun, { program, cwd, stopped, mask, limits }: Required<Program>) {
  const child = start(given, program, cwd)
  const outputs = [child.stdout, child.stderr].map(tailOf)
  const exited = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', resolve)
  })
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  const over = new AbortController()
  const ending = endInTime({ pid: child.pid, limits, stopped, over: over.signal })
  try {
    const code = await exited
    // What the group still holds is of no use to anybody.
    if (ending.why !== 'by itself' || !(await settledWithin(closed, PIPES_MS)))
      killGroup(child.pid, 'SIGKILL')
    const [stdout = '', stderr = ''] = outputs.map((output) => cut(mask(output.text())))
    return { returncode: ending.why === 'by itself' ? code : null, stdout, stderr, ended: ending.why }
  } catch (error) {
    throw new AgentRefusal(
      500,
      `The command could not be started (${(error as NodeJS.ErrnoException).code}).`,
    )
  } finally {
    over.abort()
    for (const output of outputs) output.close()
    await ending.done
  }
}

const start = ({ args, env }: CommandRun, [file = '', ...first]: readonly string[], cwd: string) =>
  spawn(file, [...first, ...args], {
    cwd,
    env: env as NodeJS.ProcessEnv,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })

type Ending = { pid: number | undefined; limits: CommandLimits; stopped: AbortSignal; over: AbortSignal }

/** Ends the group at the limit or with the agent; `why` says so from the moment it is asked to end. */
function endInTime({ pid, limits, stopped, over }: Ending) {
  const ending: { why: CommandEnd['ended']; done: Promise<void> } = {
    why: 'by itself',
    done: Promise.resolve(),
  }
  ending.done = firstOf({ limitMs: limits.limitMs, stopped, over }).then(async (why) => {
    if (why === null) return
    ending.why = why
    killGroup(pid, 'SIGTERM')
    if (await elapsed(limits.graceMs, over)) killGroup(pid, 'SIGKILL')
  })
  return ending
}

/** Why a command must end, or null when it has ended by itself. */
async function firstOf(wait: { limitMs: number; stopped: AbortSignal; over: AbortSignal }) {
  const either = AbortSignal.any([wait.stopped, wait.over])
  if (await elapsed(wait.limitMs, either)) return 'at the limit' as const
  return wait.over.aborted ? null : ('with the agent' as const)
}

/** Whether the time went by before the signal. */
const elapsed = (ms: number, signal: AbortSignal): Promise<boolean> =>
  pause(ms, true, { signal }).catch(() => false)

const settledWithin = (promise: Promise<void>, ms: number): Promise<boolean> => {
  const late = new AbortController()
  return Promise.race([
    promise.then(() => true),
    pause(ms, false, { signal: late.signal }).catch(() => false),
  ]).finally(() => late.abort())
}

function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid) process.kill(-pid, signal)
  } catch {
    // Nobody of the group is left.
  }
}

const TAIL_LINES = 200
const TAIL_CHARACTERS = 64 * 1024

/** The last lines, without the line end behind the last one. */
const cut = (text: string): string =>
  text.slice(-TAIL_CHARACTERS).replace(/\n$/, '').split('\n').slice(-TAIL_LINES).join('\n')

/** Collects what a stream brings and keeps its end, more of it than is shown: where it was cut, half a secret may stand. */
function tailOf(stream: Readable | null) {
  let text = ''
  stream?.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
    if (text.length > 3 * TAIL_CHARACTERS) text = text.slice(-2 * TAIL_CHARACTERS)
  })
  return {
    text: () => text,
    close: () => stream?.destroy(),
  }
}
