import { z } from 'zod'
import { STREAM_TOPICS } from '#domain/event/stream-topics.ts'

export const streamTopic = z.enum(STREAM_TOPICS)
export type StreamTopic = z.infer<typeof streamTopic>

/** `topics` is a list with commas; all that the caller may see when left out. */
export const streamRequest = z
  .object({
    topics: z
      .string()
      .max(1_000)
      .transform((text) => text.split(',').filter(Boolean))
      .pipe(z.array(streamTopic).max(STREAM_TOPICS.length))
      .optional(),
  })
  .strict()

/** The data of an event: that something changed, never what; the client fetches what it may see. */
export const streamData = z
  .object({
    id: z.number().int(),
    ts: z.iso.datetime(),
    type: streamTopic,
    resource: z.object({ type: z.string(), id: z.string() }).strict(),
    from: z.string().optional(),
    to: z.string().optional(),
    summary: z.string(),
    correlation_id: z.string().optional(),
  })
  .strict()
export type StreamData = z.infer<typeof streamData>
