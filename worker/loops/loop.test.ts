import { afterEach, describe, expect, it, vi } from 'vitest'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import type { Topic } from '#server/ledger/topics.ts'
import { type Outcome, startLoop } from './loop.ts'

/** Notifications that the test sends, and a log that keeps its calls. */
function surroundings() {
  const listeners = new Map<Topic, Set<() => void>>()
  const errors: unknown[] = []
  return {
    errors,
    listeners: () => [...listeners.values()].reduce((n, set) => n + set.size, 0),
    notify: (topic: Topic) => {
      for (const listener of listeners.get(topic) ?? []) listener()
    },
    parts: {
      notifier: {
        on: (topic: Topic, listener: () => void) => {
          const set = listeners.get(topic) ?? new Set()
          listeners.set(topic, set.add(listener))
          return () => set.delete(listener)
        },
      },
      log: { error: (...received: unknown[]) => void errors.push(received) },
    },
  }
}
const NEVER = 2 ** 30

afterEach(() => vi.useRealTimers())

describe('a loop', () => {
  it('ticks at once, then for every notification of its topics and no other', async () => {
    const around = surroundings()
    let ticks = 0
    const loop = startLoop(
      {
        name: 'l',
        everyMs: NEVER,
        on: ['jobs'],
        tick: async () => {
          ticks++
          return 'idle'
        },
      },
      around.parts,
    )
    await waitUntil(() => ticks === 1)
    around.notify('runs')
    around.notify('jobs')
    await waitUntil(() => ticks === 2)
    await loop.stop()
    expect(ticks).toBe(2)
    expect(around.listeners()).toBe(0)
  })

  it('begins later where it judges the work of others, and ends before that without a tick', async () => {
    vi.useFakeTimers()
    const around = surroundings()
    let ticks = 0
    const later = {
      name: 'l',
      everyMs: NEVER,
      firstAfterMs: 10_000,
      tick: async (): Promise<Outcome> => {
        ticks++
        return 'idle'
      },
    }
    const waiting = startLoop(later, around.parts)
    await vi.advanceTimersByTimeAsync(9_999)
    expect(ticks).toBe(0)
    await waiting.stop()
    expect(ticks).toBe(0)
    const begun = startLoop(later, around.parts)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(ticks).toBe(1)
    await begun.stop()
  })

  it('rests after the first of several notifications, and goes on at once while there is more', async () => {
    vi.useFakeTimers()
    const around = surroundings()
    let ticks = 0
    const tick = async () => (++ticks === 2 ? 'again' : 'idle') satisfies Outcome
    const loop = startLoop({ name: 'l', everyMs: NEVER, on: ['sealed'], restMs: 200, tick }, around.parts)
    await vi.advanceTimersByTimeAsync(0)
    around.notify('sealed')
    await vi.advanceTimersByTimeAsync(150)
    around.notify('sealed')
    await vi.advanceTimersByTimeAsync(49)
    expect(ticks).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(ticks).toBe(3)
    around.notify('sealed')
    await loop.stop()
    expect(vi.getTimerCount()).toBe(0)
    expect(ticks).toBe(3)
  })

  it.each([
    [NEVER, 5],
    [1, 7],
  ])('goes on while there is more, and looks again by itself (every %i ms)', async (everyMs, least) => {
    let ticks = 0
    const loop = startLoop(
      { name: 'l', everyMs, tick: async () => (++ticks < 5 ? 'again' : 'idle') },
      surroundings().parts,
    )
    await waitUntil(() => ticks >= least)
    await loop.stop()
    if (everyMs === NEVER) expect(ticks).toBe(5)
  })

  it('does not lose a notification that comes during a tick', async () => {
    const around = surroundings()
    const ends: (() => void)[] = []
    const loop = startLoop(
      {
        name: 'l',
        everyMs: NEVER,
        on: ['jobs'],
        tick: () => new Promise((resolve) => ends.push(() => resolve('idle'))),
      },
      around.parts,
    )
    await waitUntil(() => ends.length === 1)
    around.notify('jobs')
    ends[0]?.()
    await waitUntil(() => ends.length === 2)
    ends[1]?.()
    await loop.stop()
  })

  it('ticks again when what it began in the background asks for it', async () => {
    let ticks = 0
    let tickAgain = () => {}
    const loop = startLoop(
      {
        name: 'l',
        everyMs: NEVER,
        tick: async (_signal, requestTick) => {
          ticks++
          tickAgain = requestTick
          return 'idle'
        },
      },
      surroundings().parts,
    )
    await waitUntil(() => ticks === 1)
    tickAgain()
    await waitUntil(() => ticks === 2)
    await loop.stop()
  })

  it('survives a tick that throws, says so, and tries again', async () => {
    const around = surroundings()
    let ticks = 0
    const loop = startLoop(
      {
        name: 'l',
        everyMs: NEVER,
        tick: async () => {
          if (++ticks === 1) throw new Error('the database is away')
          return 'idle'
        },
      },
      around.parts,
    )
    await waitUntil(() => ticks === 2)
    await loop.stop()
    expect(around.errors).toHaveLength(1)
  })

  it('lets the tick under way finish when it is stopped, and aborts its signal', async () => {
    let end = () => {}
    let received: AbortSignal | undefined
    const loop = startLoop(
      {
        name: 'l',
        everyMs: NEVER,
        tick: (signal) =>
          new Promise((resolve) => {
            received = signal
            end = () => resolve('again')
          }),
      },
      surroundings().parts,
    )
    await waitUntil(() => received)
    let stopped = false
    const stopping = loop.stop().then(() => {
      stopped = true
    })
    expect(received?.aborted).toBe(true)
    await new Promise((resolve) => setImmediate(resolve))
    expect(stopped).toBe(false)
    end()
    await stopping
  })
})
