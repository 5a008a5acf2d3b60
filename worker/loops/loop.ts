/**
 * A loop: calls its tick again and again, and looks early when a hint comes ([ledger#hints]: they only save time). A worker is a list of loops.
 *
 * - `again` from a tick means that there is more to do: the next tick follows at once; `idle` waits for the interval or a hint.
 * - A hint that comes during a tick is not lost: another tick follows.
 * - A tick that throws is logged and tried again after a growing pause (1 s … 30 s); a loop never takes its process down.
 * - `stop` lets the tick under way finish; its signal tells it that time is up.
 */
import type { Logger } from 'pino'
import type { Hints } from '#server/ledger/hints.ts'
import type { Topic } from '#server/ledger/topics.ts'

export type Outcome = 'again' | 'idle'
export type Loop = {
  name: string
  everyMs: number
  on?: readonly Topic[]
  /** `ring` asks for another tick, also later: what the loop began in the background has come to an end. */
  tick(signal: AbortSignal, ring: () => void): Promise<Outcome>
}
export type Running = { name: string; stop(): Promise<void> }

const PAUSES_MS = [1_000, 2_000, 5_000, 10_000, 30_000] as const

/** Starts the loop; the first tick comes at once. */
export function startLoop(
  loop: Loop,
  parts: { hints?: Pick<Hints, 'on'>; log: Pick<Logger, 'error'> },
): Running {
  const abort = new AbortController()
  const bell = createBell()
  const offs = (loop.on ?? []).map((topic) => parts.hints?.on(topic, bell.ring))
  const running = run(loop, abort.signal, bell, parts.log)
  return {
    name: loop.name,
    async stop() {
      abort.abort()
      bell.ring()
      for (const off of offs) off?.()
      await running
    },
  }
}

async function run(loop: Loop, signal: AbortSignal, bell: Bell, log: Pick<Logger, 'error'>): Promise<void> {
  let failures = 0
  while (!signal.aborted) {
    bell.silence()
    try {
      const outcome = await loop.tick(signal, bell.ring)
      failures = 0
      if (outcome === 'idle') await bell.wait(loop.everyMs, signal)
    } catch (error) {
      if (signal.aborted) return
      log.error({ err: error, loop: loop.name }, 'a loop failed and will try again')
      const pause = PAUSES_MS[Math.min(failures++, PAUSES_MS.length - 1)] ?? 1_000
      await rest(pause, signal)
    }
  }
}

type Bell = { ring(): void; silence(): void; wait(ms: number, signal: AbortSignal): Promise<void> }

/** Remembers one ring until somebody waits for it. */
function createBell(): Bell {
  let rung = false
  let wake: (() => void) | null = null
  return {
    ring() {
      rung = true
      wake?.()
    },
    silence() {
      rung = false
    },
    async wait(ms, signal) {
      if (rung || signal.aborted) return
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      wake = null
    },
  }
}

/** A pause that hints do not cut short, so that a failing database is not asked in a tight circle; stopping does. */
function rest(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
