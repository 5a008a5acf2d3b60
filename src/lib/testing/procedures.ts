/**
 * Procedures that answer in the browser, for component tests. They speak the product's protocol, and what they answer is
 * parsed by the contract that they are given, so that a fixture cannot drift from what the server would say.
 */
import { initTRPC, TRPCError } from '@trpc/server'
import type { z } from 'zod'
import { envelopeOf } from '#contracts/error.contract.ts'
import { type Refusal, Refused } from '#domain/kernel/errors.ts'
import { JSON_WIRE } from '../wire.ts'

const t = initTRPC.create({
  transformer: JSON_WIRE,
  allowOutsideOfServer: true,
  errorFormatter: ({ shape, error }) => {
    const { cause } = error
    const refusal =
      cause instanceof Refused ? cause.refusal : { code: 'INTERNAL_ERROR', message: error.message }
    const envelope = envelopeOf(refusal as Refusal, 'correlation-of-a-test')
    return { ...shape, message: envelope.error.message, data: { ...shape.data, envelope } }
  },
})

export const router = t.router
export type Procedures = ReturnType<typeof t.router>

type Answer<Input, Output> = (input: Input) => Output | Promise<Output>

/** Input is only checked by the server; here it is passed on as it came. */
const anyInput = t.procedure.input((input: unknown) => input as never)

const refusing =
  <Input, Output>(answer: Answer<Input, Output>) =>
  async ({ input }: { input: unknown }) => {
    try {
      return await answer(input as Input)
    } catch (cause) {
      throw new TRPCError({ code: 'BAD_REQUEST', cause })
    }
  }

/** A read that answers what the contract allows. */
export const query = <Contract extends z.ZodType, Input = never>(
  contract: Contract,
  answer: Answer<Input, NoInfer<z.input<Contract>>>,
) => anyInput.output(contract).query(refusing(answer) as never)

/** A command that answers what the contract allows, or throws `Refused`. */
export const mutation = <Contract extends z.ZodType, Input = never>(
  contract: Contract,
  answer: Answer<Input, NoInfer<z.input<Contract>>>,
) => anyInput.output(contract).mutation(refusing(answer) as never)
