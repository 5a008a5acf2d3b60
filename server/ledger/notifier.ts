/**
 * Notifications between processes: "look at your tables". One carries a topic and no state [ledger#notifications]; whoever misses it finds the
 * work by its own scan (at most every 2 s). Those of one process reach its own listeners at once and the other processes by
 * NOTIFY on a connection of their own, so that no transaction waits for NOTIFY's lock: the first at once, those that follow within a few
 * milliseconds in one batch. That connection waits for no flush of the disk: a NOTIFY writes nothing that is to last.
 *
 * The listening connection is tested when it is made and again every 30 s (a half-open socket says nothing); when it is
 * lost it is made anew, and every listener is called once.
 */
import { EventEmitter } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { Topic } from './topics.ts'

export type Notifier = {
  notify(topic: Topic): void
  /** Calls back on every notification of the topic; returns the way to stop. */
  on(topic: Topic, listener: () => void): () => void
  close(): Promise<void>
}

const CHANNEL = 'bloom_hint'
const COALESCE_MS = 3
const SELF_TEST_MS = 30_000
const RECONNECT_MS = 500

export function openNotifier(url: string): Notifier {
  const emitter = new EventEmitter().setMaxListeners(1_000)
  const waiting = new Set<Topic>()
  const me = crypto.randomUUID().slice(0, 8)
  let client: pg.Client | null = null
  let closed = false
  let timer: NodeJS.Timeout | undefined
  let due = false
  let flushedAt = Number.NEGATIVE_INFINITY

  let sending = false

  const flush = async () => {
    due = false
    if (sending || waiting.size === 0) return
    sending = true
    flushedAt = performance.now()
    const topics = [...waiting]
    waiting.clear()
    await client?.query('SELECT pg_notify($1, $2)', [CHANNEL, `${me}:${topics.join(',')}`]).catch(() => {})
    sending = false
    if (waiting.size > 0) schedule()
  }
  const schedule = () => {
    if (due) return
    due = true
    const rest = flushedAt + COALESCE_MS - performance.now()
    if (rest > 0) timer = setTimeout(flush, rest).unref()
    else queueMicrotask(flush)
  }
  const receive = (payload = '') => {
    const [sender, topics = ''] = payload.split(':')
    if (sender === me) return
    for (const topic of topics.split(',')) emitter.emit(topic)
  }
  const listen = async () => {
    while (!closed) {
      const c = new pg.Client({
        connectionString: url,
        application_name: 'garden-bloom-notifier',
        keepAlive: true,
      })
      const lost = new Promise<void>((resolve) => {
        c.on('error', () => resolve())
        c.on('end', () => resolve())
      })
      try {
        await c.connect()
        c.on('notification', (n) => receive(n.payload))
        await c.query('SET synchronous_commit = off')
        await c.query(`LISTEN ${CHANNEL}`)
        client = c
        for (const topic of emitter.eventNames()) emitter.emit(topic)
        await stayConnected(c, lost, () => closed)
      } catch {}
      client = null
      await c.end().catch(() => {})
      if (!closed) await pause(RECONNECT_MS)
    }
  }
  const listening = listen()

  return {
    notify(topic) {
      emitter.emit(topic)
      waiting.add(topic)
      schedule()
    },
    on(topic, listener) {
      emitter.on(topic, listener)
      return () => emitter.off(topic, listener)
    },
    async close() {
      closed = true
      clearTimeout(timer)
      await client?.end().catch(() => {})
      await listening
    },
  }
}

async function stayConnected(c: pg.Client, lost: Promise<void>, closed: () => boolean): Promise<void> {
  while (!closed()) {
    const abort = new AbortController()
    const outcome = await Promise.race([
      lost.then(() => 'lost' as const),
      pause(SELF_TEST_MS, 'due' as const, { signal: abort.signal, ref: false }).catch(() => 'due' as const),
    ])
    abort.abort()
    if (outcome === 'lost') return
    const answered = await Promise.race([
      c.query('SELECT 1').then(() => true),
      pause(5_000, false, { ref: false }),
    ])
    if (!answered) return
  }
}
