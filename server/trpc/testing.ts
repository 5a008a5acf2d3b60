import type { TRPCError } from '@trpc/server'
import type { Caller } from '#domain/authority/caller.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { visitOf } from '#server/gate/visit.ts'
import type { Services } from '#server/services.ts'
import { appRouter } from './router.ts'
import { createCallerFactory } from './trpc.ts'
import { trpcRefusal } from './trpc-error.ts'

export const OWNER: Caller = { role: 'owner', identity: 'owner', via: 'console' }
export const OPERATOR: Caller = { role: 'operator', identity: 'operator:test', via: 'console' }

const createCaller = createCallerFactory(appRouter)

/**
 * Calls procedures in a test as this caller, with authority and audit as over HTTP:
 * `await callerFor(services, OWNER).jobs.list({})`. `services` may hold only what the procedure under test uses.
 */
export function callerFor(
  services: Partial<Services>,
  caller: Caller,
  options: { steppedUp?: boolean } = {},
) {
  const { steppedUp = true } = options
  return createCaller(
    visitOf(services as Services, { caller, steppedUp, refusal: null, byCookie: false }, null),
  )
}

/** The refusal a call ends with; an error in the test when the call succeeds. */
export async function refusalOfCall(call: Promise<unknown>): Promise<Refusal> {
  const error = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (!error) throw new Error('the call succeeded, a refusal was expected')
  return trpcRefusal(error as TRPCError).refusal
}
