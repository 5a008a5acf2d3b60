/**
 * The ledger's connection: one pg pool for the guarded statements, and Prisma on the same pool for the reads of the pages.
 *
 * Fences, sequence numbers and counts are `int8` columns far below 2^53 and arrive as numbers. A server that goes away
 * ends queries with an error, never the process: every client of the pool has an error listener.
 */
import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import type { Sql } from 'sql-template-tag'
import { PrismaClient } from '#prisma/generated/client.ts'

export type Row = Record<string, unknown>

/** Anything that runs a statement: the pool, or the client of a transaction. */
export interface Db {
  query<R extends Row = Row>(statement: Sql): Promise<{ rows: R[]; rowCount: number | null }>
}

export type Database = {
  readonly db: Db
  readonly pool: pg.Pool
  readonly prisma: PrismaClient
  /** Runs `work` in one transaction; an exception rolls it back. */
  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T>
  close(): Promise<void>
}

const INT8 = 20

const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
}

/** Opens the ledger at `url`; `name` shows in `pg_stat_activity`. */
export function openDatabase(url: string, options: { name?: string; connections?: number } = {}): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.connections ?? 10,
    application_name: options.name ?? 'garden-bloom',
    types,
  })
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool, { disposeExternalPool: false }) })
  return {
    db: pool as unknown as Db,
    pool,
    prisma,
    transaction: (work) => inTransaction(pool, work),
    close: async () => {
      await prisma.$disconnect()
      await pool.end()
    },
  }
}

async function inTransaction<T>(pool: pg.Pool, work: (tx: Db) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query('BEGIN')
    const value = await work(client as unknown as Db)
    await client.query('COMMIT')
    return value
  } catch (error) {
    await client.query('ROLLBACK').catch((e: Error) => {
      broken = e
    })
    throw error
  } finally {
    client.release(broken)
  }
}

/** The SQLSTATE of a failed statement, or undefined when the error did not come from PostgreSQL. */
export function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined
}

export const UNIQUE_VIOLATION = '23505'
