import { z } from 'zod'
import { type AlertState, alertMachine } from '#domain/alert/alert.machine.ts'
import { NOTE_MAX, NOTE_MIN } from '#domain/alert/alert.rules.ts'
import { SEVERITIES } from '#domain/alert/condition.ts'
import { CONDITION_NAMES, type ConditionName, RULE_NAMES } from '#domain/alert/conditions.ts'
import { type DeliveryState, deliveryMachine } from '#domain/alert/delivery.machine.ts'
import { CHANNELS, MESSAGES } from '#domain/alert/delivery.rules.ts'
import { PATTERNS } from '#domain/kernel/ids.ts'

/** Alerts as the console, the API and receivers of messages see them ([alerts#purpose]). Times are ISO 8601 UTC. */
const time = z.iso.datetime()
const state = z.enum(alertMachine.states as readonly [AlertState, ...AlertState[]])
const limit = z.object({ comparison: z.enum(['>', '>=', '<', '<=']), value: z.number() }).strict()

export const alertView = z
  .object({
    alert_id: z.string(),
    status: state,
    rule: z.enum(RULE_NAMES),
    /** What it is about: a component, an agent's slug, a worker, an identity, or the name of a queue. */
    resource: z.string(),
    severity: z.enum(SEVERITIES),
    /** Which measurement of the rule it is about; `value` in its unit, at `read_at`. */
    condition: z.enum(CONDITION_NAMES as [ConditionName, ...ConditionName[]]),
    unit: z.enum(['count', 'share', 'seconds', 'in_a_row', 'budget']),
    value: z.number(),
    /** Of how many cases a share or a percentile speaks. */
    samples: z.number().int().nullable(),
    threshold: limit,
    /** What the value must pass for the alert to close by itself. */
    closes: limit,
    read_at: time,
    opened_at: time,
    escalated_at: time.nullable(),
    acknowledged_at: time.nullable(),
    acknowledged_by: z.string().nullable(),
    note: z.string().nullable(),
    closed_at: time.nullable(),
  })
  .strict()
export type AlertView = z.infer<typeof alertView>

/** One message about an alert over one channel; `last_error` holds no secret of the channel. */
export const deliveryView = z
  .object({
    delivery_id: z.string(),
    alert_id: z.string().nullable(),
    message: z.enum(MESSAGES),
    channel: z.enum(CHANNELS),
    status: z.enum(deliveryMachine.states as readonly [DeliveryState, ...DeliveryState[]]),
    attempts: z.number().int(),
    last_error: z.string().nullable(),
    created_at: time,
    /** Of a pending one; null once it has ended. */
    next_attempt_at: time.nullable(),
    ended_at: time.nullable(),
  })
  .strict()
export type DeliveryView = z.infer<typeof deliveryView>

export const alertDetail = alertView.extend({ deliveries: z.array(deliveryView) }).strict()
export type AlertDetail = z.infer<typeof alertDetail>

export const alertRef = z.object({ alert_id: z.string().regex(PATTERNS.alert) }).strict()

/** Which alerts: those that stand (open or acknowledged), those that are closed, or all; newest first. */
export const alertListRequest = z
  .object({
    show: z.enum(['standing', 'closed', 'all']).default('all'),
    cursor: z.string().max(256).optional(),
    limit: z.coerce.number().int().min(1).max(100).default(50),
  })
  .strict()
export type AlertList = z.infer<typeof alertListRequest>
export const alertPage = z.object({ items: z.array(alertView), next_cursor: z.string().nullable() }).strict()
export type AlertPage = z.infer<typeof alertPage>

export const acknowledgeRequest = alertRef
  .extend({ note: z.string().trim().min(NOTE_MIN).max(NOTE_MAX) })
  .strict()

/** Where messages go, without secrets, and the newest of them. */
export const alertChannels = z
  .object({
    /** The origin of the webhook; what stands behind it may be a secret. */
    webhook: z.object({ origin: z.string() }).strict().nullable(),
    email: z
      .object({ server: z.string(), from: z.string(), to: z.array(z.string()) })
      .strict()
      .nullable(),
    deliveries: z.array(deliveryView),
  })
  .strict()
export type AlertChannels = z.infer<typeof alertChannels>

/** What a receiver gets: the product's event envelope, the same bytes with every repeat. */
export const alertMessage = z
  .object({
    schema: z.literal('orch.event.v1'),
    eventId: z.string(),
    eventType: z.enum(['incident.opened', 'incident.escalated', 'incident.resolved', 'incident.test']),
    occurredAt: time,
    idempotencyKey: z.string(),
    tenantId: z.string(),
    actor: z.object({ subject: z.string() }).strict(),
    /** Null in a test. */
    incident: alertView.nullable(),
    /** The page of the console; reading it needs a session. */
    url: z.string(),
    notifier: z.object({ channel: z.enum(CHANNELS), delivery: z.string() }).strict(),
  })
  .strict()
export type AlertMessage = z.infer<typeof alertMessage>
