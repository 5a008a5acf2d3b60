import type { Caller } from '#domain/authority/caller.ts'
import type { Result } from '#domain/kernel/result.ts'
import type { Services } from '#server/composition/services.ts'
import type { Kind, Operation } from '#server/gate/operation.ts'
import { proposalCommands as declared } from '../proposal-commands.operations.ts'

type Command<Op> =
  Op extends Operation<Kind, infer I, infer O>
    ? (services: Partial<Services>, input: I, caller: Caller, steppedUp?: boolean) => Promise<Result<O>>
    : never

/** The commands over a Proposal behind the gate: as this caller, with input that is right already. */
export const proposalCommands = Object.fromEntries(
  Object.entries(declared).map(([name, operation]: [string, Operation]) => [
    name,
    (services: Services, input: unknown, caller: Caller, steppedUp = false) => {
      const request = { correlationId: 'test', refusal: null, address: 'test', idempotencyKey: undefined }
      return operation.run({ services, caller, steppedUp, ...request }, input as never)
    },
  ]),
) as unknown as { [N in keyof typeof declared]: Command<(typeof declared)[N]> }
