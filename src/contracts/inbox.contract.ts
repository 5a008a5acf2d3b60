import { z } from 'zod'
import { type InboxState, inboxMachine } from '#domain/inbox/inbox.machine.ts'
import { isDay } from '#domain/kernel/days.ts'
import { PATTERNS } from '#domain/kernel/ids.ts'
import { plainText } from './proposal.contract.ts'
import { citation, diffInput, fileHash } from './proposal-body.contract.ts'
import { byteLength, hasNoCredentials } from './research.contract.ts'
import { tagName } from './tag.contract.ts'

/** Inbox entries on the wire ([inbox#actions]). */
export const INBOX_LIMITS = {
  payloadBytes: 2 * 1024 * 1024,
  ttlHours: { min: 1, max: 720, default: 72 },
} as const

export const INBOX_ACTIONS = [
  'propose-edit',
  'propose-note',
  'propose-tag',
  'propose-summary',
  'propose-artifact',
  'propose-comment',
  'memory-update',
  'logic-update',
  'logic-rollback',
] as const
export const inboxAction = z.enum(INBOX_ACTIONS)
export type InboxAction = z.infer<typeof inboxAction>
export const inboxStatus = z.enum(inboxMachine.states as readonly [InboxState, ...InboxState[]])

const summary = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^[^\p{Cc}]*$/u, 'must be one line')
const stated = {
  summary,
  reasoning: z.string().max(8000).default(''),
  citations: z.array(citation).max(100).default([]),
  entity_refs: z.array(z.string().max(128)).max(50).default([]),
}
/** `propose-edit`: one `diff` on the target, or `changes[]` by garden path. `base_hash` says which content one has edited. */
export const editPayload = z
  .object({
    ...stated,
    diff: diffInput.optional(),
    base_hash: fileHash.optional(),
    changes: z
      .array(
        z.object({ path: z.string().max(1024), diff: diffInput, base_hash: fileHash.optional() }).strict(),
      )
      .min(1)
      .max(20)
      .optional(),
  })
  .strict()
  .refine((p) => (p.diff === undefined) !== (p.changes === undefined), 'needs either a diff or changes')

const textOrDiff = { text: z.string().min(1).optional(), diff: diffInput.optional() }
const hasText = (p: { text?: unknown; diff?: unknown }) => (p.text === undefined) !== (p.diff === undefined)

/** `propose-note`: `kind: note` creates the file of the target, `kind: comment` (default) adds a comment to the target. */
export const notePayload = z
  .object({ ...stated, ...textOrDiff, kind: z.enum(['note', 'comment']).default('comment') })
  .strict()
  .refine(hasText, 'needs either a text or a diff')
/** `propose-comment`: who may only comment creates no file, so this action knows no other kind. */
export const commentPayload = z
  .object({ ...stated, ...textOrDiff, kind: z.literal('comment').default('comment') })
  .strict()
  .refine(hasText, 'needs either a text or a diff')
export const summaryPayload = z
  .object({ ...stated, ...textOrDiff })
  .strict()
  .refine(hasText, 'needs either a text or a diff')
export const tagPayload = z
  .object({
    ...stated,
    summary: summary.optional(),
    add: z.array(tagName).max(50).default([]),
    remove: z.array(tagName).max(50).default([]),
  })
  .strict()
  .refine((p) => p.add.length + p.remove.length > 0, 'adds and removes nothing')
/** Even what is refused later is kept as a rejected entry, and a password must not be; all else of a payload is its job's to judge. */
function namesNoCredentials({ sources }: Record<string, unknown>): boolean {
  const addresses = Array.isArray(sources) ? sources.map((one) => one?.url) : []
  return addresses.every((url) => typeof url !== 'string' || hasNoCredentials(url))
}

/** `propose-artifact`: a Run with `params`, or a Job when `job_type` is present. */
export const artifactPayload = z
  .object({
    params: z.record(z.string(), z.unknown()).default({}),
    job_type: z.string().max(64).optional(),
    payload: z
      .record(z.string(), z.unknown())
      .refine(namesNoCredentials, 'names an address with a user or a password in it')
      .optional(),
    /** The id that the Job gets ([jobs#J1]). */
    job_id: z.string().toLowerCase().regex(PATTERNS.job, 'must be a uuid').optional(),
  })
  .strict()
  .refine((p) => (p.job_type === undefined) === (p.payload === undefined), 'a Job needs job_type and payload')
  .refine((p) => p.job_id === undefined || p.job_type !== undefined, 'a job_id needs a job_type')

export const PAYLOADS = {
  'propose-edit': editPayload,
  'propose-note': notePayload,
  'propose-comment': commentPayload,
  'propose-tag': tagPayload,
  'propose-summary': summaryPayload,
  'propose-artifact': artifactPayload,
} as const

const withinLimit = (payload: unknown) => byteLength(JSON.stringify(payload)) <= INBOX_LIMITS.payloadBytes

/** What a ledger cannot keep as JSON: NUL and lone surrogates, wherever they hide. */
function storable(value: unknown): boolean {
  if (typeof value === 'string') return !/\0|\p{Surrogate}/u.test(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([key, inner]) => storable(key) && storable(inner))
}

/** What a complete entry carries of its origin: read by nobody, since the gateway sets id, identity and time itself ([inbox#actions]). */
const claimedOrigin = z
  .object({
    type: z.string().max(64),
    identity: z.string().max(256),
    authenticated: z.boolean(),
    timestamp: z.string().max(64),
  })
  .partial()
  .strict()

/** Body of `POST /inbox`: the intent, or a complete entry. Who submits is never taken from it. */
export const submitEntryInput = z
  .object({
    id: z.string().max(128).optional(),
    source: claimedOrigin.optional(),
    intent: z
      .object({
        action: inboxAction,
        target: z.string().min(1).max(1100).refine(storable, 'holds a NUL or broken Unicode'),
        payload: z
          .record(z.string(), z.unknown())
          .refine(withinLimit, 'must be at most 2 MiB')
          .refine(storable, 'holds a NUL or broken Unicode'),
      })
      .strict(),
    metadata: z
      .object({
        correlation_id: z
          .string()
          .regex(/^[A-Za-z0-9_.:-]{1,128}$/)
          .optional(),
        priority: z.enum(['normal', 'high']).default('normal'),
        ttl_hours: z
          .number()
          .int()
          .min(INBOX_LIMITS.ttlHours.min)
          .max(INBOX_LIMITS.ttlHours.max)
          .default(INBOX_LIMITS.ttlHours.default),
      })
      .strict()
      .prefault({}),
  })
  .strict()
export type SubmitEntryInput = z.input<typeof submitEntryInput>

export const resolution = z.object({ kind: z.enum(['proposal', 'run', 'job']), id: z.string() })

/** Answer of `POST /inbox`; `repeated` is true for a known correlation id (200 instead of 202). */
export const submitAnswer = z.object({
  inbox_id: z.string(),
  status: inboxStatus,
  resolution: resolution.nullable(),
  correlation_id: z.string(),
  repeated: z.boolean(),
})
export type SubmitAnswer = z.infer<typeof submitAnswer>

const storedMetadata = z.object({
  correlation_id: z.string(),
  priority: z.enum(['normal', 'high']),
  ttl_hours: z.number(),
})

/** A row of the list: everything but the payload, which may be large. */
export const inboxEntryView = z.object({
  id: z.string(),
  /** The same as `id`; what stands beside the documented fields is for the console. */
  inbox_id: z.string(),
  status: inboxStatus,
  source: z.object({
    type: z.string(),
    identity: z.string(),
    authenticated: z.literal(true),
    timestamp: z.string(),
  }),
  intent: z.object({ action: z.string(), target: z.string() }),
  metadata: storedMetadata,
  summary: z.string().nullable(),
  ...storedMetadata.shape,
  run_id: z.string().nullable(),
  resolution: resolution.nullable(),
  reason: z.object({ code: z.string(), message: z.string() }).nullable(),
  received_at: z.string(),
  expires_at: z.string(),
})
export type InboxEntryView = z.infer<typeof inboxEntryView>

/** One entry with what it asks for. */
export const inboxEntryDetail = inboxEntryView.extend({
  intent: inboxEntryView.shape.intent.extend({ payload: z.record(z.string(), z.unknown()) }),
})
export type InboxEntryDetail = z.infer<typeof inboxEntryDetail>

const day = z.string().refine(isDay, 'must be a day such as 2026-03-02')

export const inboxFilter = z
  .object({
    status: inboxStatus.optional(),
    /** Received on these days (UTC) or between them; expired ones are then listed as well. */
    from: day.optional(),
    to: day.optional(),
    action: inboxAction.optional(),
    source: plainText(128).optional(),
    q: plainText(200).optional(),
    cursor: z.string().max(512).optional(),
    limit: z.coerce.number().int().min(1).max(100).default(50),
  })
  .strict()
export type InboxFilter = z.infer<typeof inboxFilter>

export const inboxPage = z.object({ items: z.array(inboxEntryView), next_cursor: z.string().nullable() })
export type InboxPage = z.infer<typeof inboxPage>

/** `GET /inbox/days`: what arrived and what was decided, the oldest day (UTC) first. `approved` is without what was undone the same day. */
export const inboxDays = z.object({
  days: z.array(
    z.object({
      day: z.string(),
      arrived: z.number().int(),
      approved: z.number().int(),
      rejected: z.number().int(),
      expired: z.number().int(),
    }),
  ),
})
export type InboxDays = z.infer<typeof inboxDays>
export type InboxDay = InboxDays['days'][number]

/** `GET /inbox/stats`; days are UTC, and an entry counts for the one on which it ended. */
export const inboxStats = z.object({
  pending: z.number(),
  processed_today: z.number(),
  rejected_today: z.number(),
  expired_today: z.number(),
})
export type InboxStats = z.infer<typeof inboxStats>
