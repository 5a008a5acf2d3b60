/**
 * A loop: calls its tick again and again, and sooner when a notification comes, which only saves time ([ledger#notifications]). A worker is a list of
 * loops.
 *
 * - `again` from a tick means that there is more to do: the next tick follows at once; `idle` waits for the interval or a notification.
 * - A notification that comes during a tick is not lost: another tick follows.
 * - A loop that rests begins a moment after a notification, and goes on at once while there is more.
 * - A tick that throws is logged and tried again after a growing pause (1 s … 30 s); a loop never takes its process down.
 * - `stop` lets the tick under way finish; its signal aborts.
 */
import type { Logger } from 'pino'
import type { Notifier } from '#server/ledger/notifier.ts'
import type { Topic } from '#server/ledger/topics.ts'

export type Outcome = 'again' | 'idle'
export type Loop = {
  name: string
  everyMs: number
  /** How long after the start its first tick comes, for what judges the work of the others; a notification comes sooner. */
  firstAfterMs?: number
  on?: readonly Topic[]
  /** How long after a notification its tick begins, for work that may wait while others answer people; what comes meanwhile is part of it. */
  restMs?: number
  /** `requestTick` asks for another tick, also later: when a timer has elapsed or work in the background has ended. */
  tick(signal: AbortSignal, requestTick: () => void): Promise<Outcome>
}
export type Running = { name: string; stop(): Promise<void> }

const PAUSES_MS = [1_000, 2_000, 5_000, 10_000, 30_000] as const

/** Starts the loop; the first tick comes at once, unless `firstAfterMs` says later. */
export function startLoop(
  loop: Loop,
  parts: { notifier?: Pick<Notifier, 'on'>; log: Pick<Logger, 'error'> },
): Running {
  const abort = new AbortController()
  const alarm = createTickSignal()
  const rest = afterRest(alarm.requestTick, loop.restMs)
  const offs = (loop.on ?? []).map((topic) => parts.notifier?.on(topic, rest.request))
  const running = run(loop, abort.signal, alarm, parts.log)
  return {
    name: loop.name,
    async stop() {
      abort.abort()
      alarm.requestTick()
      for (const off of offs) off?.()
      rest.cancel()
      await running
    },
  }
}

/** Passes a request on, with `restMs` that much later: the first of several that come meanwhile counts. */
function afterRest(requestTick: () => void, restMs = 0): { request(): void; cancel(): void } {
  let timer: NodeJS.Timeout | undefined
  const elapsed = () => {
    timer = undefined
    requestTick()
  }
  const request = () => {
    timer ??= setTimeout(elapsed, restMs)
  }
  return { request: restMs === 0 ? requestTick : request, cancel: () => clearTimeout(timer) }
}

async function run(
  loop: Loop,
  signal: AbortSignal,
  alarm: TickSignal,
  log: Pick<Logger, 'error'>,
): Promise<void> {
  let failures = 0
  if (loop.firstAfterMs) await alarm.wait(loop.firstAfterMs, signal)
  while (!signal.aborted) {
    alarm.reset()
    try {
      const outcome = await loop.tick(signal, alarm.requestTick)
      failures = 0
      if (outcome === 'idle') await alarm.wait(loop.everyMs, signal)
    } catch (error) {
      if (signal.aborted) return
      log.error({ err: error, loop: loop.name }, 'a loop failed and will try again')
      const pause = PAUSES_MS[Math.min(failures++, PAUSES_MS.length - 1)] ?? 1_000
      await pauseUnlessStopped(pause, signal)
    }
  }
}

type TickSignal = { requestTick(): void; reset(): void; wait(ms: number, signal: AbortSignal): Promise<void> }

/** Remembers one call of `requestTick` until the next wait. */
function createTickSignal(): TickSignal {
  let requested = false
  let resume: (() => void) | null = null
  return {
    requestTick() {
      requested = true
      resume?.()
    },
    reset() {
      requested = false
    },
    async wait(ms, signal) {
      if (requested || signal.aborted) return
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        resume = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      resume = null
    },
  }
}

/** A pause that notifications do not cut short, so that a failing database is not queried in a tight loop; stopping does. */
function pauseUnlessStopped(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
