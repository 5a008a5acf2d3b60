import { z } from 'zod'
import { isTimeZone, PUSH_LANGUAGES, PUSH_TOPIC_NAMES } from '#domain/push/push.rules.ts'

/** Web Push [push]: the devices of an account, and what they are notified of. Times are ISO 8601 UTC. */
const time = z.string()
const POINT_BYTES = 65
const SECRET_BYTES = 16

const bytesOf = (text: string): number => Math.floor((text.replace(/=+$/, '').length * 3) / 4)
const base64url = (bytes: number) =>
  z
    .string()
    .max(200)
    .regex(/^[\w-]+=*$/, 'must be base64url')
    .refine((text) => bytesOf(text) === bytes, `must have ${bytes} bytes`)

const timeZone = z.string().min(1).max(64).refine(isTimeZone, 'is not a time zone')

/** As the browser's `PushSubscription` has it, with the name under which the device is listed. */
export const subscribeRequest = z
  .object({
    endpoint: z.string().min(1).max(2_048),
    keys: z.object({ p256dh: base64url(POINT_BYTES), auth: base64url(SECRET_BYTES) }).strict(),
    /** The key of this installation under which the browser made it. */
    server_key: z.string().min(1).max(200),
    device: z.string().trim().min(1).max(80),
    language: z.enum(PUSH_LANGUAGES),
  })
  .strict()
export type SubscribeRequest = z.infer<typeof subscribeRequest>

export const deviceRef = z.object({ subscription_id: z.string().regex(/^push_[0-9a-f]{12}$/) }).strict()

/** A device without its endpoint, which would let anybody reach it. */
export const pushDevice = z
  .object({
    subscription_id: z.string(),
    device: z.string(),
    /** The host of the browser's push service. */
    service: z.string(),
    created_at: time,
    last_sent_at: time.nullable(),
    last_error: z.string().nullable(),
  })
  .strict()
export type PushDevice = z.infer<typeof pushDevice>

export const pushChoices = z
  .object({
    topics: z.array(z.enum(PUSH_TOPIC_NAMES)).max(PUSH_TOPIC_NAMES.length),
    digest: z.boolean(),
    digest_at: z
      .number()
      .int()
      .min(0)
      .max(24 * 60 - 1),
    time_zone: timeZone,
  })
  .strict()

export const pushSettings = z
  .object({
    /** The public key under which a browser subscribes; null until a worker has started. */
    server_key: z.string().nullable(),
    /** What this role can be notified of. */
    topics: z.array(z.enum(PUSH_TOPIC_NAMES)),
    choices: pushChoices,
    devices: z.array(pushDevice),
  })
  .strict()
export type PushSettings = z.infer<typeof pushSettings>
