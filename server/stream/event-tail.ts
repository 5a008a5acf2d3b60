/**
 * The one reader of sealed events in a web process, however many listen. It reads when a `sealed` notification comes and at least every two
 * seconds, passes every event on in the order of its number, and reads nothing while nobody listens. When the ledger does not answer, the
 * next read tries again; nothing is skipped, because the position is moved by what was read.
 *
 * Every four seconds and at every `sessions` notification the listeners check their rights again ([stream#rights]).
 */

import { lastSeal, type SealedEvent, sealedAfter } from '#server/ledger/seal.ts'
import type { Services } from '#server/services.ts'

export type Listener = {
  /** Events in order, each exactly once. */
  take(events: readonly SealedEvent[]): void
  /** Checks whether it may still listen. */
  recheck(): void
}

const SCAN_MS = 2_000
const RECHECK_MS = 4_000
const BATCH = 500

export class EventTail {
  readonly #services: Pick<Services, 'db' | 'notifier' | 'log'>
  readonly #listeners = new Set<Listener>()
  #at = 0
  #stop: (() => void) | null = null
  #reading = false
  #again = false

  constructor(services: Pick<Services, 'db' | 'notifier' | 'log'>) {
    this.#services = services
  }

  /** Resolves once the position is known: the last sealed event when nobody listens, else where the others are. */
  async ready(): Promise<void> {
    if (this.#listeners.size > 0) return
    const seq = await lastSeal(this.#services.db)
    if (this.#listeners.size === 0) this.#at = seq
  }

  /** The number of the last event passed on. */
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
    const { notifier } = this.#services
    const recheck = () => {
      for (const listener of [...this.#listeners]) listener.recheck()
    }
    const stops = [notifier.on('sealed', () => void this.#read()), notifier.on('sessions', recheck)]
    const scan = setInterval(() => void this.#read(), SCAN_MS).unref()
    const rights = setInterval(recheck, RECHECK_MS).unref()
    return () => {
      clearInterval(scan)
      clearInterval(rights)
      for (const stop of stops) stop()
    }
  }

  async #read(): Promise<void> {
    if (this.#reading) {
      this.#again = true
      return
    }
    this.#reading = true
    try {
      do {
        this.#again = false
        await this.#drain()
      } while (this.#again)
    } catch (error) {
      this.#services.log.warn({ err: error }, 'the event tail could not read')
    } finally {
      this.#reading = false
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
