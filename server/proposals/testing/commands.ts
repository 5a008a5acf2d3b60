import type { Caller } from '#domain/authority/caller.ts'
import type { Result } from '#domain/kernel/result.ts'
import { changeRequests } from '#server/inbox/change-requests.operations.ts'
import { proposalSuccessors } from '#server/inbox/proposal-successors.operations.ts'
import type { Kind, Operation } from '#server/operations/operation.ts'
import type { Services } from '#server/services.ts'
import { proposalCommands as commands } from '../proposal-commands.operations.ts'

const declared = { ...commands, ...proposalSuccessors, ...changeRequests }

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
