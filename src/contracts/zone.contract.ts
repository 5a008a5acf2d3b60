import { z } from 'zod'
import { isNotePath } from '#domain/garden/garden-path.ts'
import { type ZoneState, zoneMachine } from '#domain/zone/zone.machine.ts'
import { DEFAULT_ZONE_MINUTES, MAX_ZONE_MINUTES, MIN_ZONE_MINUTES } from '#domain/zone/zone-code.rules.ts'
import { tagName } from './tag.contract.ts'

const minutes = z.number().int().min(MIN_ZONE_MINUTES).max(MAX_ZONE_MINUTES)
const folder = z
  .string()
  .transform((text) => text.replace(/\/+$/, ''))
  .refine(isNotePath, 'is not a folder of notes')
const unique = <T>(list: T[]): T[] => [...new Set(list)]

const state = z.enum(zoneMachine.states as readonly [ZoneState, ...ZoneState[]])

export const createZoneRequest = z
  .object({
    name: z.string().trim().min(1).max(100),
    description: z.string().max(1_000).default(''),
    folders: z.array(folder).max(50).default([]).transform(unique),
    tags: z.array(tagName).max(50).default([]).transform(unique),
    minutes: minutes.default(DEFAULT_ZONE_MINUTES),
    /** What a guest agrees to before anything is read; a plain default when left out. */
    consent_policy: z.string().trim().min(1).max(8_000).optional(),
    suggestions: z.boolean().optional(),
  })
  .strict()
  .refine((zone) => zone.folders.length + zone.tags.length > 0, {
    error: 'Name at least one folder or tag.',
    path: ['folders'],
  })
export type CreateZone = z.infer<typeof createZoneRequest>

/** A scope as it is being written: what is no folder or tag is simply unknown. */
export const zonePreviewRequest = z
  .object({ folders: z.array(z.string().max(1_024)).max(50), tags: z.array(z.string().max(100)).max(50) })
  .strict()
export type ZonePreviewRequest = z.infer<typeof zonePreviewRequest>
export const zonePreview = z
  .object({
    /** Notes that a guest would see now. */
    notes: z.number().int(),
    /** Folders and tags of the scope that no note of the garden has. */
    unknown_folders: z.array(z.string()),
    unknown_tags: z.array(z.string()),
    /** True while some notes are still being parsed: tags may be missing. Ask again. */
    reading: z.boolean(),
  })
  .strict()
export type ZonePreview = z.infer<typeof zonePreview>

export const zoneRef = z.object({ zone_id: z.string().regex(/^[0-9a-f]{8}$/) }).strict()

/** Minutes from now; a zone can be made shorter or longer. Every guest must accept a new consent text. */
const changes = {
  minutes: minutes.optional(),
  consent_policy: z.string().trim().min(1).max(8_000).optional(),
  suggestions: z.boolean().optional(),
}
const changesSomething = (change: object): boolean =>
  Object.keys(changes).some((name) => (change as Record<string, unknown>)[name] !== undefined)
export const zoneChange = z.object(changes).strict().refine(changesSomething, 'Nothing to change.')
export const changeZoneRequest = z
  .object({ ...zoneRef.shape, ...changes })
  .strict()
  .refine(changesSomething, 'Nothing to change.')

export const zoneView = z
  .object({
    zone_id: z.string(),
    status: state,
    name: z.string(),
    description: z.string(),
    folders: z.array(z.string()),
    tags: z.array(z.string()),
    consent_policy: z.string(),
    policy_version: z.number().int(),
    created_by: z.string(),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime(),
    revoked_at: z.iso.datetime().nullable(),
    /** The zone accepts no code until then: too many wrong attempts. */
    locked_until: z.iso.datetime().nullable(),
    /** Guests may send suggestions of notes to the inbox. */
    suggestions: z.boolean(),
    entries: z.number().int(),
    failed_attempts: z.number().int(),
    /** Guests whose session is open now. */
    guests: z.number().int(),
  })
  .strict()
export type ZoneView = z.infer<typeof zoneView>

export const zoneListRequest = z
  .object({
    status: state.optional(),
    cursor: z.string().max(128).optional(),
    limit: z.coerce.number().int().min(1).max(100).default(50),
  })
  .strict()
export type ZoneList = z.infer<typeof zoneListRequest>
export const zonePage = z.object({ items: z.array(zoneView), next_cursor: z.string().nullable() }).strict()

/** Code, link and QR picture (a data address) are shown this once and can never be read again. */
export const createdZone = z
  .object({ zone: zoneView, code: z.string(), link: z.string(), qr: z.string() })
  .strict()
export type CreatedZone = z.infer<typeof createdZone>

/** Entry by the code or by the token of the link; `consent_version` is the version of the terms that was accepted. */
export const enterZoneRequest = z
  .object({
    zone_id: zoneRef.shape.zone_id.optional(),
    code: z.string().min(1).max(64).optional(),
    token: z.string().min(1).max(128).optional(),
    consent_version: z.number().int().min(1).optional(),
  })
  .strict()
  .refine((e) => (e.code === undefined) !== (e.token === undefined), 'Give a code or a token.')
  .refine((e) => e.token === undefined || e.zone_id !== undefined, 'A token belongs to a zone.')
export type EnterZone = z.infer<typeof enterZoneRequest>

/** The `details` of CONSENT_REQUIRED. */
export const consentAsked = z
  .object({
    zone_id: z.string(),
    name: z.string(),
    policy: z.string(),
    policy_version: z.number().int(),
    expires_at: z.iso.datetime(),
  })
  .strict()
export type ConsentAsked = z.infer<typeof consentAsked>

export const enteredZone = z
  .object({ zone_id: z.string(), name: z.string(), expires_at: z.iso.datetime() })
  .strict()

export const consentRequest = z.object({ consent_version: z.number().int().min(1) }).strict()
