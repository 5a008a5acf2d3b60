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
