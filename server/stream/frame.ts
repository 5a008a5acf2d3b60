import { type StreamData, streamTopic } from '#contracts/stream.contract.ts'
import { topicOf } from '#domain/event/event-names.ts'
import type { SealedEvent } from '#server/ledger/seal.ts'

/** An event as the stream sends it, also of what went wrong; null for refusals, which change nothing, and for events without a topic (sign-ins). */
export function streamDataOf(event: SealedEvent): StreamData | null {
  const topic = streamTopic.safeParse(topicOf(event.name))
  if (!topic.success || event.outcome === 'refused') return null
  const moved =
    event.from_status && event.to_status ? `${event.from_status} → ${event.to_status}` : event.to_status
  return {
    id: event.seq,
    ts: event.ts.toISOString(),
    type: topic.data,
    resource: { type: event.resource_type, id: event.resource_id },
    ...(event.from_status ? { from: event.from_status } : {}),
    ...(event.to_status ? { to: event.to_status } : {}),
    summary: [event.resource_type, event.resource_id, moved ?? event.name].join(' '),
    ...(event.correlation_id ? { correlation_id: event.correlation_id } : {}),
  }
}

export const eventFrame = (data: StreamData): string =>
  `id: ${data.id}\nevent: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`

/** Tells the reader to reload everything: its position is no longer kept, or it read too slowly. */
export const resetFrame = (id: number): string => `id: ${id}\nevent: reset\ndata: {"id":${id}}\n\n`

/** A comment that keeps the connection awake; the id moves on, so that a quiet topic does not fall behind. */
export const beatFrame = (id: number): string => `: beat\nid: ${id}\n\n`
