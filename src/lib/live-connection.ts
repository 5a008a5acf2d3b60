import { readStream, type StreamEvent, toStreamEvent } from './event-stream.ts'
import { isOffline } from './fault.ts'

/**
 * The one stream of this page. States: connecting → live ⇄ polling, offline when the browser has no network.
 * It is closed in a hidden tab and resumed from the last id when the tab is shown, so a hidden tab costs no connection and
 * misses nothing. 45 s without a byte counts as down. After a `reset` every listener is called to read again (`null`).
 */
export type LiveState = 'connecting' | 'live' | 'polling' | 'offline'
export type LiveListener = (event: StreamEvent | null) => void

/** Where the stream is and how long it may be silent; the tests have their own. */
export const LIVE_DEFAULTS = {
  url: '/api/v1/events/stream',
  silenceMs: 45_000,
  firstPauseMs: 1_000,
  longestPauseMs: 15_000,
  /** Only a stream that has lasted this long ends the series of failures: one that breaks right after opening backs off. */
  steadyMs: 10_000,
}
type Settings = typeof LIVE_DEFAULTS

export class LiveConnection {
  state: LiveState = 'connecting'
  readonly #settings: Settings
  readonly #onReset: () => void
  readonly #onSignedOut: () => void
  readonly #listeners = new Map<LiveListener, ReadonlySet<string>>()
  readonly #watchers = new Set<() => void>()
  /** When an event of a topic came last, in milliseconds of the browser's clock. */
  readonly #latest = new Map<string, number>()
  #lastId: string | undefined
  #stop: AbortController | undefined
  #silence: ReturnType<typeof setTimeout> | undefined
  #again: ReturnType<typeof setTimeout> | undefined
  #steady: ReturnType<typeof setTimeout> | undefined
  #failures = 0

  constructor(onReset: () => void, onSignedOut: () => void, settings: Settings = LIVE_DEFAULTS) {
    this.#settings = settings
    this.#onReset = onReset
    this.#onSignedOut = onSignedOut
  }

  listen(topics: readonly string[], listener: LiveListener): () => void {
    this.#listeners.set(listener, new Set(topics))
    return () => this.#listeners.delete(listener)
  }

  /** When an event of one of these topics came last, also before anybody listened; 0 where none has. */
  latestOf(topics: readonly string[]): number {
    return Math.max(0, ...topics.map((topic) => this.#latest.get(topic) ?? 0))
  }

  watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  /** Opens the stream unless it is open; harmless to repeat. */
  open(): void {
    if (this.#stop) return
    clearTimeout(this.#again)
    if (isOffline()) {
      this.#become('offline')
      return
    }
    const stop = new AbortController()
    this.#stop = stop
    this.#hear()
    readStream({
      url: this.#settings.url,
      lastId: this.#lastId,
      signal: stop.signal,
      onAlive: () => {
        this.#steady ??= setTimeout(() => {
          this.#failures = 0
        }, this.#settings.steadyMs)
        if (this.state !== 'live' && this.#lastId === undefined) this.#readAgain()
        this.#become('live')
        this.#hear()
      },
      onFrame: (frame) => this.#take(frame),
    })
      .then((status) => this.#lost(stop, status))
      .catch(() => this.#lost(stop, 0))
  }

  /** Closes the stream and does not try again until `open`. */
  close(state: LiveState = 'polling'): void {
    clearTimeout(this.#again)
    this.#still()
    this.#stop?.abort()
    this.#stop = undefined
    this.#become(state)
  }

  #take(frame: Parameters<typeof toStreamEvent>[0]): void {
    if (frame.id) this.#lastId = frame.id
    if (frame.event === 'reset') {
      this.#readAgain()
      this.#onReset()
      return
    }
    const event = toStreamEvent(frame)
    if (!event) return
    this.#latest.set(event.topic, Date.now())
    for (const [listener, topics] of this.#listeners) if (topics.has(event.topic)) listener(event)
  }

  /** Events may have been missed before the stream opened or resumed: every listener refetches. */
  #readAgain(): void {
    for (const listener of this.#listeners.keys()) listener(null)
  }

  #lost(stop: AbortController, status: number): void {
    if (this.#stop !== stop) return
    this.#still()
    this.#stop = undefined
    if (status === 401 || status === 410) {
      this.#become('connecting')
      this.#onSignedOut()
      return
    }
    this.#become(isOffline() ? 'offline' : 'polling')
    const { firstPauseMs, longestPauseMs } = this.#settings
    const pause = Math.min(firstPauseMs * 2 ** this.#failures++, longestPauseMs) * (0.8 + Math.random() * 0.4)
    this.#again = setTimeout(() => this.open(), pause)
  }

  #still(): void {
    clearTimeout(this.#silence)
    clearTimeout(this.#steady)
    this.#steady = undefined
  }

  #hear(): void {
    clearTimeout(this.#silence)
    this.#silence = setTimeout(() => this.#stop?.abort(), this.#settings.silenceMs)
  }

  #become(state: LiveState): void {
    if (this.state === state) return
    this.state = state
    for (const watcher of this.#watchers) watcher()
  }
}
