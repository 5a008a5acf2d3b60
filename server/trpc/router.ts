import type { TRPCMutationProcedure, TRPCQueryProcedure } from '@trpc/server'
import { allOperations } from '#server/composition/all-operations.ts'
import type { Kind, Operation } from '#server/operations/operation.ts'
import { procedureOf, router } from './trpc.ts'

type Procedure<Op> =
  Op extends Operation<infer K, infer I, infer O>
    ? K extends 'read'
      ? TRPCQueryProcedure<{ input: I; output: O; meta: unknown }>
      : TRPCMutationProcedure<{ input: I; output: O; meta: unknown }>
    : never

/** The procedures of a room: its operations but those that are not for tRPC. */
type Procedures<Room> = {
  [N in keyof Room as Room[N] extends Operation<Kind, unknown, unknown, false> ? never : N]: Procedure<
    Room[N]
  >
}

type Rooms = { [R in keyof typeof allOperations]: Procedures<(typeof allOperations)[R]> }

const rooms = Object.entries(allOperations).map(([room, list]: [string, Record<string, Operation>]) => {
  const offered = Object.entries(list).filter(([, operation]) => operation.trpc)
  return [room, Object.fromEntries(offered.map(([name, operation]) => [name, procedureOf(operation)]))]
})

/** Every procedure of the console, by room; the client's types come from the operations' schemas. */
export const appRouter = router(Object.fromEntries(rooms) as Rooms)

export type AppRouter = typeof appRouter
