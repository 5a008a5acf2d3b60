import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { waitUntil } from '#server/launch/testing/wait-until.ts'

/** How often all who ask look together. */
const LOOK_MS = 40

let seen = { at: Number.NEGATIVE_INFINITY, groups: new Set<number>() }

/** Process group and state of every process: from `/proc` where there is one, which is cheaper on a busy machine. */
function processes(): [group: number, state: string][] {
  const ids = fs.existsSync('/proc/self/stat')
    ? fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name))
    : null
  if (!ids)
    return execFileSync('ps', ['-A', '-o', 'pgid=,stat='], { encoding: 'utf8' })
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .map(([group, state = 'Z']) => [Number(group), state])
  return ids.flatMap((id) => {
    try {
      // Behind the name, which may hold anything: state, parent, group.
      const [state = 'Z', , group] =
        fs.readFileSync(`/proc/${id}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
      return [[Number(group), state] as [number, string]]
    } catch {
      return []
    }
  })
}

/** The groups that have a process which is more than an entry that nobody has asked for yet. */
function livingGroups(): Set<number> {
  if (performance.now() - seen.at < LOOK_MS) return seen.groups
  const living = processes().filter(([, state]) => !/^[ZX]/.test(state))
  seen = { at: performance.now(), groups: new Set(living.map(([group]) => group)) }
  return seen.groups
}

/** Whether a process of the group lives, as it was at most 40 ms ago. */
export function isGroupLeft(group: number): boolean {
  try {
    process.kill(-group, 0)
    return livingGroups().has(group)
  } catch {
    return false
  }
}

/** When the group was gone, by `performance.now()`, at most 60 ms late; null when it still is there after so long. */
export async function endOfGroup(group: number, timeoutMs: number): Promise<number | null> {
  const until = performance.now() + timeoutMs
  while (isGroupLeft(group)) {
    if (performance.now() > until) return null
    await pause(LOOK_MS / 2)
  }
  return performance.now()
}

/** Stops a process and waits until it stands still: what is sent to it from then on is read only after SIGCONT. */
export async function stopProcess(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP')
  await waitUntil(() => stateOf(pid).startsWith('T'), {
    what: `process ${pid} to stand still`,
    timeoutMs: 10_000,
  })
}

const stateOf = (pid: number): string =>
  fs.existsSync(`/proc/${pid}/stat`)
    ? (fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1) ?? '')
    : execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
