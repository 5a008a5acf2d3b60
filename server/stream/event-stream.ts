/**
 * One open stream: connecting → catching up → live → closed.
 *
 * It begins after `lastId`, reads what it missed itself and joins the shared tail at the place it has reached; every event
 * has a number and the stream's own place only grows, so nothing is sent twice or left out. What the reader has not taken
 * is bounded: with 1 000 frames waiting the stream stops filling, and once the reader is back it gets one `reset` and goes on
 * from there. An id that is too old (24 h, 10 000 events), from another ledger or not a number is answered by `reset` as well.
 *
 * It closes when the caller's rights end (looked at every few seconds and at once on a hint), when the reader goes, or when
 * the process stops.
 */
import sql from 'sql-template-tag'
import type { StreamTopic } from '#contracts/stream.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { sessionHolds } from '#server/auth/identify.ts'
import type { Services } from '#server/composition/services.ts'
import { type SealedEvent, sealedAfter } from '#server/ledger/seal.ts'
import type { EventTail } from './event-tail.ts'
import { beatFrame, eventFrame, resetFrame, streamDataOf } from './frame.ts'

export type StreamNeeds = {
  services: Pick<Services, 'db' | 'log'>
  tail: EventTail
  caller: Caller
  topics: ReadonlySet<StreamTopic> | null
  /** Narrows events to what the caller may hear of. */
  visible: (events: readonly SealedEvent[]) => Promise<readonly SealedEvent[]>
  /** Fired by whoever ends the stream: the shutdown of the process, the reader that left. */
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
  readonly #needs: StreamNeeds
  #controller!: ReadableStreamDefaultController<Uint8Array>
  #place = 0
  #lost = false
  #closed = false
  /** Work on events goes one after the other, so that narrowing them cannot change their order. */
  #work: Promise<void> = Promise.resolve()
  #stop: (() => void)[] = []

  constructor(needs: StreamNeeds) {
    this.#needs = needs
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
    if (needs.signal.aborted) this.close()
    else needs.signal.addEventListener('abort', this.close, { once: true })
  }

  /** Starts after the id that the reader has seen, or now. Resolves when the stream is live. */
  async begin(lastId: string | null): Promise<void> {
    const { tail, beatMs } = this.#needs
    await tail.ready()
    const head = tail.at
    this.#place = head
    this.#send(`retry: 1000\n: open\n${lastId === null ? `id: ${head}\n` : ''}\n`)
    const listen = tail.listen({ take: (events) => this.#queue(events), recheck: () => void this.#recheck() })
    const beat = setInterval(() => this.#send(beatFrame(this.#place)), beatMs).unref()
    this.#stop.push(listen, () => clearInterval(beat))
    if (this.#closed) return this.#clear()
    if (lastId !== null) await this.#catchUp(lastId, head)
  }

  readonly close = (): void => {
    if (this.#closed) return
    this.#closed = true
    this.#needs.signal.removeEventListener('abort', this.close)
    this.#clear()
    try {
      this.#controller.close()
    } catch {
      // The reader has gone already.
    }
    this.#needs.onClose()
  }

  #clear(): void {
    for (const stop of this.#stop.splice(0)) stop()
  }

  /** Reads from the last id to where the tail stood when this stream joined it; what the tail brings meanwhile waits. */
  #catchUp(lastId: string, head: number): Promise<void> {
    this.#work = this.#work.then(async () => {
      const from = await this.#keptFrom(lastId, head)
      if (from === null) {
        this.#send(resetFrame(head))
        return
      }
      this.#place = from
      while (this.#place < head && !this.#closed) {
        const events = await sealedAfter(this.#needs.services.db, this.#place, BATCH)
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
    const { rows } = await this.#needs.services.db.query<{ fresh: boolean }>(sql`
      SELECT sealed_at > clock_timestamp() - interval '24 hours' AS fresh FROM event_seal WHERE seq = ${id + 1}`)
    return rows[0]?.fresh ? id : null
  }

  #queue(events: readonly SealedEvent[]): void {
    this.#work = this.#work.then(() => this.#take(events)).catch((error: unknown) => this.#failed(error))
  }

  async #take(events: readonly SealedEvent[]): Promise<void> {
    const fresh = events.filter((event) => event.seq > this.#place)
    const last = fresh.at(-1)
    if (!last || this.#closed) return
    const wanted = fresh.filter((event) => this.#isWanted(event))
    const seen = wanted.length > 0 ? await this.#needs.visible(wanted) : []
    for (const event of seen) {
      const data = streamDataOf(event)
      if (data) this.#send(eventFrame(data))
    }
    this.#place = last.seq
  }

  #isWanted(event: SealedEvent): boolean {
    const data = streamDataOf(event)
    return data !== null && (this.#needs.topics === null || this.#needs.topics.has(data.type))
  }

  #send(frame: string): void {
    if (this.#closed || this.#lost) return
    if ((this.#controller.desiredSize ?? 0) <= 0) {
      this.#lost = true
      return
    }
    this.#controller.enqueue(encoder.encode(frame))
  }

  /** The reader takes again: if anything was dropped, it has to read everything anew, from the place we have reached. */
  #resume(): void {
    if (!this.#lost || (this.#controller.desiredSize ?? 0) < STREAM_BUFFER / 2) return
    this.#lost = false
    this.#send(resetFrame(this.#place))
  }

  async #recheck(): Promise<void> {
    try {
      if (!(await sessionHolds(this.#needs.services.db, this.#needs.caller.sessionId ?? ''))) this.close()
    } catch (error) {
      this.#failed(error)
    }
  }

  /** Rights or events that cannot be read: the stream ends, and the reader comes back with its last id. */
  #failed(error: unknown): void {
    if (this.#closed) return
    this.#needs.services.log.warn({ err: error }, 'an event stream ended')
    this.close()
  }
}
