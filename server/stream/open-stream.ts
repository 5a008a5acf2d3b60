import type { StreamTopic } from '#contracts/stream.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { limitSubject } from '#server/auth/rate-limits.ts'
import { tagsOfNotes } from '#server/garden/note-tags.ts'
import type { Services } from '#server/services.ts'
import { EventStream } from './event-stream.ts'
import { EventTail } from './event-tail.ts'
import { shutdown } from './shutdown.ts'
import { visibleEvents } from './visible-events.ts'

export const MAX_STREAMS = 8
const BEAT_MS = 15_000

type Hub = { tail: EventTail; open: Map<string, number> }
const hubs = new WeakMap<object, Hub>()

/** The tail and the open streams of this process. The database is the key, and what the tail reads by: guests share both. */
export function hubOf({ database, notifier, log }: Pick<Services, 'database' | 'notifier' | 'log'>): Hub {
  const known = hubs.get(database)
  if (known) return known
  const hub = { tail: new EventTail({ db: database, notifier, log }), open: new Map() }
  hubs.set(database, hub)
  return hub
}

/** How many streams of this process are open, by the role of their readers. */
export function streamClients(
  services: Pick<Services, 'database' | 'notifier' | 'log'>,
): { kind: string; n: number }[] {
  const counts = { owner: 0, operator: 0, guest: 0 }
  for (const [who, n] of hubOf(services).open) counts[roleOfSubject(who)] += n
  return Object.entries(counts).map(([kind, n]) => ({ kind, n }))
}

const roleOfSubject = (who: string): 'owner' | 'operator' | 'guest' =>
  who.startsWith('session:') ? 'guest' : who.startsWith('operator') ? 'operator' : 'owner'

type Wanted = {
  caller: Caller
  topics: readonly StreamTopic[] | undefined
  lastId: string | null
  signal: AbortSignal
}

/** Opens a stream for this caller; 429 when there are eight already. */
export async function openStream(
  services: Pick<Services, 'database' | 'db' | 'notifier' | 'log' | 'garden'>,
  { caller, topics, lastId, signal }: Wanted,
): Promise<Result<ReadableStream<Uint8Array>>> {
  const { tail, open } = hubOf(services)
  const who = limitSubject(caller, '')
  const count = open.get(who) ?? 0
  if (count >= MAX_STREAMS) {
    return refuse({
      code: 'RATE_LIMITED',
      message: `You have ${MAX_STREAMS} open streams. Close one and try again.`,
      retryAfter: 5,
    })
  }
  open.set(who, count + 1)
  const stream = new EventStream({
    services,
    tail,
    caller,
    topics: topics ? new Set(topics) : null,
    visible: (events) =>
      visibleEvents(services, caller, events, (paths) => tagsOfNotes(services.garden, paths)),
    signal: AbortSignal.any([signal, shutdown().signal]),
    beatMs: BEAT_MS,
    onClose: () => {
      const left = (open.get(who) ?? 1) - 1
      if (left > 0) open.set(who, left)
      else open.delete(who)
    },
  })
  // Not awaited: the reader receives what is read while the stream still catches up.
  stream.begin(lastId).catch(() => stream.close())
  return ok(stream.body)
}
