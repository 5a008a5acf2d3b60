/**
 * One open stream: connecting → catching up → live → closed.
 *
 * It starts after `lastId`, reads what it missed itself and joins the shared tail at the position it has reached; every event has a number and
 * the stream's position only grows, so nothing is sent twice or left out ([stream#I-E1]). The buffer is bounded ([stream#I-E4]): with 1 000
 * frames waiting the stream stops filling it, and once the reader is back it gets one `reset` and continues from there. An id that is too old
 * (24 h, 10 000 events), from another ledger or not a number is answered by `reset` as well.
 *
 * It closes when the caller's rights end (checked every few seconds and at once on a notification), when the reader disconnects, or when the
 * process stops.
 */
import sql from 'sql-template-tag'
import type { StreamTopic } from '#contracts/stream.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { sessionHolds } from '#server/auth/identify.ts'
import { type SealedEvent, sealedAfter } from '#server/ledger/seal.ts'
import type { Services } from '#server/services.ts'
import type { EventTail } from './event-tail.ts'
import { beatFrame, eventFrame, resetFrame, streamDataOf } from './frame.ts'

export type StreamParts = {
  /** Events are read with the caller's rights on the database, the session with the process's own: a guest's role may not see it. */
  services: Pick<Services, 'database' | 'db' | 'log'>
  tail: EventTail
  caller: Caller
  topics: ReadonlySet<StreamTopic> | null
  /** Filters events by what the caller may see. */
  visible: (events: readonly SealedEvent[]) => Promise<readonly SealedEvent[]>
  /** Aborted when the process stops or the reader disconnects. */
  signal: AbortSignal
  beatMs: number
  onClose: () => void
}

export const STREAM_BUFFER = 1_000
const KEPT_EVENTS = 10_000
const BATCH = 500
const encoder = new TextEncoder()

export class EventStream {
  readonly body: ReadableStream<Uint8Array>
  readonly #parts: StreamParts
  #controller!: ReadableStreamDefaultController<Uint8Array>
  #position = 0
  #lost = false
  #closed = false
  /** Events are handled one batch after the other, so that filtering cannot change their order. */
  #work: Promise<void> = Promise.resolve()
  #stop: (() => void)[] = []

  constructor(parts: StreamParts) {
    this.#parts = parts
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        pull: () => this.#resume(),
        cancel: () => this.close(),
      },
      { highWaterMark: STREAM_BUFFER },
    )
    if (parts.signal.aborted) this.close()
    else parts.signal.addEventListener('abort', this.close, { once: true })
  }

  /** Starts after the id that the reader has seen, or now. Resolves when the stream is live. */
  async begin(lastId: string | null): Promise<void> {
    const { tail, beatMs } = this.#parts
    await tail.ready()
    const head = tail.at
    this.#position = head
    this.#send(`retry: 1000\n: open\n${lastId === null ? `id: ${head}\n` : ''}\n`)
    const listen = tail.listen({ take: (events) => this.#queue(events), recheck: () => void this.#recheck() })
    const beat = setInterval(() => this.#send(beatFrame(this.#position)), beatMs).unref()
    this.#stop.push(listen, () => clearInterval(beat))
    if (this.#closed) return this.#clear()
    if (lastId !== null) await this.#catchUp(lastId, head)
  }

  readonly close = (): void => {
    if (this.#closed) return
    this.#closed = true
    this.#parts.signal.removeEventListener('abort', this.close)
    this.#clear()
    try {
      this.#controller.close()
    } catch {
      // The reader has disconnected already.
    }
    this.#parts.onClose()
  }

  #clear(): void {
    for (const stop of this.#stop.splice(0)) stop()
  }

  /** Reads from the last id to the tail's position at the time this stream joined it; what the tail brings meanwhile waits. */
  #catchUp(lastId: string, head: number): Promise<void> {
    this.#work = this.#work.then(async () => {
      const from = await this.#keptFrom(lastId, head)
      if (from === null) {
        this.#send(resetFrame(head))
        return
      }
      this.#position = from
      while (this.#position < head && !this.#closed) {
        const events = await sealedAfter(this.#parts.services.db, this.#position, BATCH)
        if (events.length === 0) return
        await this.#take(events)
      }
    })
    this.#work = this.#work.catch((error: unknown) => this.#failed(error))
    return this.#work
  }

  async #keptFrom(lastId: string, head: number): Promise<number | null> {
    const id = /^\d{1,15}$/.test(lastId) ? Number(lastId) : -1
    if (id < 0 || id > head || head - id > KEPT_EVENTS) return null
    if (id === head) return id
    const { rows } = await this.#parts.services.db.query<{ fresh: boolean }>(sql`
      SELECT sealed_at > clock_timestamp() - interval '24 hours' AS fresh FROM event_seal WHERE seq = ${id + 1}`)
    return rows[0]?.fresh ? id : null
  }

  #queue(events: readonly SealedEvent[]): void {
    this.#work = this.#work.then(() => this.#take(events)).catch((error: unknown) => this.#failed(error))
  }

  async #take(events: readonly SealedEvent[]): Promise<void> {
    const fresh = events.filter((event) => event.seq > this.#position)
    const last = fresh.at(-1)
    if (!last || this.#closed) return
    const wanted = fresh.filter((event) => this.#isWanted(event))
    const seen = wanted.length > 0 ? await this.#parts.visible(wanted) : []
    for (const event of seen) {
      const data = streamDataOf(event)
      if (data) this.#send(eventFrame(data))
    }
    this.#position = last.seq
  }

  #isWanted(event: SealedEvent): boolean {
    const data = streamDataOf(event)
    return data !== null && (this.#parts.topics === null || this.#parts.topics.has(data.type))
  }

  #send(frame: string): void {
    if (this.#closed || this.#lost) return
    if ((this.#controller.desiredSize ?? 0) <= 0) {
      this.#lost = true
      return
    }
    this.#controller.enqueue(encoder.encode(frame))
  }

  /** The reader is back: if anything was dropped, it must reload everything, and continues from the position reached. */
  #resume(): void {
    if (!this.#lost || (this.#controller.desiredSize ?? 0) < STREAM_BUFFER / 2) return
    this.#lost = false
    this.#send(resetFrame(this.#position))
  }

  async #recheck(): Promise<void> {
    const { services, caller } = this.#parts
    try {
      if (!(await sessionHolds(services.database, caller.sessionId ?? ''))) this.close()
    } catch (error) {
      this.#failed(error)
    }
  }

  /** Rights or events that cannot be read: the stream ends, and the reader reconnects with its last id. */
  #failed(error: unknown): void {
    if (this.#closed) return
    this.#parts.services.log.warn({ err: error }, 'an event stream ended')
    this.close()
  }
}
