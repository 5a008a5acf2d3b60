import { z } from 'zod'

/** The topics of the event stream [stream#topics]; some have no events yet. */
export const STREAM_TOPICS = [
  'inbox.new',
  'inbox.status.changed',
  'proposal.created',
  'proposal.status.changed',
  'run.status.changed',
  'run.step.completed',
  'question.status.changed',
  'job.status.changed',
  'artifact.created',
  'task.status.changed',
  'lease.changed',
  'worker.status.changed',
  'leadership.changed',
  'agent.status.changed',
  'governance.changed',
  'incident.changed',
  'ask.status.changed',
  'health.changed',
  'zone.changed',
  'key.changed',
] as const
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
