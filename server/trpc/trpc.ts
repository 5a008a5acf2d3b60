/**
 * The procedure builder. There is no bare public procedure: a procedure names its action of the authority matrix by
 * `guarded(action)`, or stands on the short list of `open(name)`.
 *
 * Before the input is parsed: identity, CSRF rule, rate limit, right. After: a refusal of whatever layer leaves as the one
 * envelope in `error.data.envelope` and is audited; what nobody foresaw is logged and leaves as INTERNAL_ERROR.
 */
import { initTRPC, type TRPCError } from '@trpc/server'
import superjson from 'superjson'
import { envelopeOf } from '#contracts/error.contract.ts'
import { type Action, grantOf } from '#domain/authority/matrix.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { refusalFor, STEP_UP_REQUIRED } from '#server/auth/authorize.ts'
import { gateOf } from '#server/auth/gate.ts'
import { rateHeaders } from '#server/auth/rate-limits.ts'
import { foreignOrigin } from '#server/auth/same-origin.ts'
import { guestServices } from '#server/zones/guest-services.ts'
import type { Context } from './context.ts'
import { toTrpcError, trpcRefusal } from './trpc-error.ts'

/** The policy of a procedure; a test walks the router and finds every procedure without one. */
export type Policy = { action: Action; stepUp?: true } | { open: OpenProcedure }

/** Procedures that need no right: they say who one is. Everything else is guarded. */
export const OPEN_PROCEDURES = ['sessions.me'] as const
export type OpenProcedure = (typeof OPEN_PROCEDURES)[number]

const t = initTRPC
  .context<Context>()
  .meta<Policy>()
  .create({
    transformer: superjson,
    isDev: false,
    errorFormatter: ({ shape, error, ctx }) => {
      const envelope = envelopeOf(trpcRefusal(error).refusal, ctx?.correlationId ?? '')
      const { code, httpStatus, path } = shape.data
      return { ...shape, message: envelope.error.message, data: { code, httpStatus, path, envelope } }
    },
  })

export const router = t.router
export const createCallerFactory = t.createCallerFactory

/** A procedure that needs this action of the authority matrix; `stepUp` also wants a password of the last five minutes. */
export function guarded(action: Action, options: { stepUp?: true } = {}) {
  return t.procedure
    .meta({ action, ...options })
    .use(gate)
    .use(asGuest)
}

/** A procedure on the short list that anybody may call. */
export const open = (name: OpenProcedure) => t.procedure.meta({ open: name }).use(gate)

const gate = t.middleware(async ({ ctx, path, type, meta, next, getRawInput }) => {
  const reads = type !== 'mutation'
  const refusal = await refusalBefore(ctx, meta, reads)
  const result = refusal
    ? null
    : await next({ getRawInput: async () => withoutDirection(await getRawInput()) })
  if (result?.ok) return result
  const thrown = result ? result.error : null
  const told = refusal ? { refusal, expected: true } : trpcRefusal(thrown as TRPCError)
  if (!told.expected)
    ctx.services.log.error({ err: thrown, path, correlation_id: ctx.correlationId }, 'procedure failed')
  await audit(ctx, path, told.refusal)
  throw toTrpcError(told.refusal)
})

/** An infinite list of the client always says in which direction it pages; our pages know one, and their inputs are strict. */
function withoutDirection(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || !('direction' in input)) return input
  const { direction: _, ...rest } = input
  return rest
}

/** A guest that reads its part of the garden reads with a guest's rights in the ledger too. */
const asGuest = t.middleware(({ ctx, meta, next }) => {
  const own =
    ctx.caller.role === 'guest' && meta && 'action' in meta && grantOf('guest', meta.action) === 'own'
  return next({ ctx: { services: own ? guestServices(ctx.services) : ctx.services } })
})

async function refusalBefore(
  ctx: Context,
  meta: Policy | undefined,
  reads: boolean,
): Promise<Refusal | null> {
  const foreign = ctx.request && ctx.byCookie && foreignOrigin(ctx.request, ctx.services.env.PUBLIC_URL)
  if (foreign) return foreign
  const limited = await count(ctx, reads)
  if (limited) return limited
  if (meta && 'open' in meta) return null
  if (ctx.refusal) return ctx.refusal
  if (!meta) return { code: 'FORBIDDEN', message: 'This procedure has no policy.' }
  const forbidden = refusalFor(ctx.caller, meta.action, reads)
  if (forbidden) return forbidden
  return meta.stepUp && !ctx.steppedUp ? STEP_UP_REQUIRED : null
}

/** The procedures of a batch are admitted at the same time: all await the one count. */
async function count(ctx: Context, reads: boolean): Promise<Refusal | null> {
  if (!ctx.request) return null
  ctx.counted ??= countOnce(ctx, ctx.request.address, reads)
  return ctx.counted
}

async function countOnce(ctx: Context, address: string, reads: boolean): Promise<Refusal | null> {
  const { limits } = gateOf(ctx.services)
  const kind = reads ? 'read' : 'change'
  const admission = await limits.admit(ctx.services.env, ctx.caller, address, kind, Date.now())
  for (const [name, value] of Object.entries(rateHeaders(admission))) ctx.headers.set(name, value)
  if (admission.allowed) return null
  return {
    code: 'RATE_LIMITED',
    message: 'Too many requests. Wait a little.',
    retryAfter: admission.resetSeconds,
  }
}

async function audit(ctx: Context, path: string, refusal: Refusal): Promise<void> {
  const address = ctx.request?.address ?? 'internal'
  const endpoint = `trpc ${path}`
  await gateOf(ctx.services).refusals.record(ctx.services, { caller: ctx.caller, address, endpoint, refusal })
}
