/**
 * An operation as a tRPC procedure. The gate decides and parses; what is left to tRPC is its wire: batches of JSON, and the one
 * envelope in `error.data.envelope`.
 */
import { getTRPCErrorFromUnknown, initTRPC } from '@trpc/server'
import { envelopeOf } from '#contracts/error.contract.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { JSON_WIRE } from '#lib/wire.ts'
import { type Answer, type Gated, pass, type Sent } from '#server/gate/gate.ts'
import type { Visit } from '#server/gate/visit.ts'
import type { Operation, Policy } from '#server/operations/operation.ts'
import { policyOf } from '#server/operations/policy-of.ts'
import { toTrpcError, trpcRefusal } from './trpc-error.ts'

const t = initTRPC
  .context<Visit>()
  .meta<Policy>()
  .create({
    transformer: JSON_WIRE,
    isDev: false,
    errorFormatter: ({ shape, error, ctx }) => {
      const { refusal } = trpcRefusal(error)
      const envelope = envelopeOf(refusal, ctx?.correlationId ?? '')
      const { code, httpStatus, path } = shape.data
      return { ...shape, message: envelope.error.message, data: { code, httpStatus, path, envelope } }
    },
  })

export const router = t.router
export const createCallerFactory = t.createCallerFactory

/** The procedure of an operation: a query or a mutation that is the gate and no more. */
export function procedureOf(operation: Operation) {
  const policy = policyOf(operation)
  const gated: Gated = { ...operation, policy }
  const endpoint = `trpc ${operation.name}`
  const procedure = t.procedure.meta(policy).use(async ({ ctx, getRawInput, next }) => {
    const idempotencyKey = ctx.request?.headers.get('idempotency-key') ?? undefined
    const outcome = await pass(gated, ctx, { endpoint, idempotencyKey, read: () => readRaw(getRawInput) })
    if (!outcome.ok) throw toTrpcError(outcome.refusal)
    return next({ ctx: { answer: outcome.value } })
  })
  const answer = ({ ctx }: { ctx: { answer: Answer } }) =>
    ctx.answer instanceof Response ? null : ctx.answer.value
  return operation.kind === 'read' ? procedure.query(answer) : procedure.mutation(answer)
}

async function readRaw(getRawInput: () => Promise<unknown>): Promise<Result<Sent>> {
  try {
    const value = withoutDirection(await getRawInput())
    return ok({ value, fingerprint: () => JSON.stringify(value) ?? '' })
  } catch (error) {
    const answer = trpcRefusal(getTRPCErrorFromUnknown(error))
    if (!answer.expected) throw error
    return refuse(answer.refusal)
  }
}

/** An infinite list of the client always says in which direction it pages; our pages know one, and their inputs are strict. */
function withoutDirection(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || !('direction' in input)) return input
  const { direction: _, ...rest } = input
  return rest
}
