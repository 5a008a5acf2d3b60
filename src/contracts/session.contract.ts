import { z } from 'zod'

/** Who the browser is signed in as; for the header, the zone banner and what the console offers. */
export const meView = z
  .object({
    role: z.enum(['owner', 'operator', 'guest', 'anonymous']),
    identity: z.string(),
    name: z.string().nullable(),
    stepped_up: z.boolean(),
    /** False for an owner who came by the first link and has not set one yet. */
    has_password: z.boolean(),
    expires_at: z.iso.datetime().nullable(),
    zone: z
      .object({
        zone_id: z.string(),
        name: z.string(),
        description: z.string(),
        expires_at: z.iso.datetime(),
        /** Its guests may suggest changes. */
        suggestions: z.boolean(),
      })
      .strict()
      .nullable(),
    /** Why the session is of no use any more: a code of the envelope. */
    ended: z.string().nullable(),
  })
  .strict()
export type MeView = z.infer<typeof meView>

export const sessionRef = z.object({ session: z.string().min(1).max(64) }).strict()

/** A session as its owner may see it: `session` names it without being its id. */
export const sessionView = z
  .object({
    session: z.string(),
    current: z.boolean(),
    via: z.string(),
    created_at: z.iso.datetime(),
    last_seen_at: z.iso.datetime(),
    expires_at: z.iso.datetime(),
  })
  .strict()
export type SessionView = z.infer<typeof sessionView>
