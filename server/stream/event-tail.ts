/**
 * The one reader of sealed events in a web process, whoever listens. It looks when a `sealed` hint comes and at most two
 * seconds later, hands every event on in the order of its number, and reads nothing while nobody listens. A ledger that does
 * not answer is asked again at the next look; nothing is skipped, because the place is moved by what was read.
 *
 * At every fourth second and at every `sessions` hint the listeners' rights are looked at again, all of them in one statement.
 */
import type { Services } from '#server/composition/services.ts'
import { lastSeal, type SealedEvent, sealedAfter } from '#server/ledger/seal.ts'

export type Listener = {
  /** Events in order, each exactly once. */
  take(events: readonly SealedEvent[]): void
  /** Looks whether it may still listen. */
  recheck(): void
}

const SCAN_MS = 2_000
const RECHECK_MS = 4_000
const BATCH = 500

export class EventTail {
  readonly #services: Pick<Services, 'db' | 'hints' | 'log'>
  readonly #listeners = new Set<Listener>()
  #at = 0
  #stop: (() => void) | null = null
  #looking = false
  #again = false

  constructor(services: Pick<Services, 'db' | 'hints' | 'log'>) {
    this.#services = services
  }

  /** Resolves once the reader knows where it stands: at the end when nobody listens, else where the others are. */
  async ready(): Promise<void> {
    if (this.#listeners.size > 0) return
    const seq = await lastSeal(this.#services.db)
    if (this.#listeners.size === 0) this.#at = seq
  }

  /** The number up to which events have been handed on. */
  get at(): number {
    return this.#at
  }

  /** From now on; events up to `at` are the listener's own to read. Returns the way to stop. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    this.#stop ??= this.#start()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      this.#stop?.()
      this.#stop = null
    }
  }

  #start(): () => void {
    const { hints } = this.#services
    const recheck = () => {
      for (const listener of [...this.#listeners]) listener.recheck()
    }
    const stops = [hints.on('sealed', () => void this.#look()), hints.on('sessions', recheck)]
    const scan = setInterval(() => void this.#look(), SCAN_MS).unref()
    const rights = setInterval(recheck, RECHECK_MS).unref()
    return () => {
      clearInterval(scan)
      clearInterval(rights)
      for (const stop of stops) stop()
    }
  }

  async #look(): Promise<void> {
    if (this.#looking) {
      this.#again = true
      return
    }
    this.#looking = true
    try {
      do {
        this.#again = false
        await this.#drain()
      } while (this.#again)
    } catch (error) {
      this.#services.log.warn({ err: error }, 'the event tail could not read')
    } finally {
      this.#looking = false
    }
  }

  async #drain(): Promise<void> {
    for (;;) {
      const events = await sealedAfter(this.#services.db, this.#at, BATCH)
      const last = events.at(-1)
      if (!last || this.#listeners.size === 0) return
      this.#at = Math.max(this.#at, last.seq)
      for (const listener of [...this.#listeners]) listener.take(events)
      if (events.length < BATCH) return
    }
  }
}
