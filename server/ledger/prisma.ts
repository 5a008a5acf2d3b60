/**
 * Prisma Client for the reads of the routers, on the ledger's own pool. Only the web process opens it: the worker's statements are SQL, and
 * the client would cost every process memory and start-up time.
 */
import { PrismaPg } from '@prisma/adapter-pg'
import { PrismaClient } from '#prisma/generated/client.ts'
import type { Database } from './database.ts'

/** Reads of lists and details; nothing is ever written through it. */
export type Reads = PrismaClient

export const openReads = ({ pool }: Pick<Database, 'pool'>): Reads =>
  new PrismaClient({ adapter: new PrismaPg(pool, { disposeExternalPool: false }) })

/** The same reads under a database role, each in a read-only transaction of its own: what the role may not SELECT fails. */
export function readsAs(reads: Reads, role: () => Promise<string>): Reads {
  const scoped = reads.$extends({
    query: {
      $allOperations: async ({ args, query }) => {
        const name = await role()
        const [, rows] = await reads.$transaction([
          reads.$executeRaw`SELECT set_config('transaction_read_only', 'on', true), set_config('role', ${name}, true)`,
          query(args) as ReturnType<typeof reads.$queryRaw>,
        ])
        return rows
      },
    },
  })
  return scoped as unknown as Reads
}
