/**
 * The ledger's connection: one pg pool for the guarded statements.
 *
 * A unit of work is a `Db`. Every use-case takes one and asks it for a transaction: on the pool that begins one, inside a transaction it
 * joins the running one, so use-cases nest without knowing who called them. What a change announces (`notify`) is collected on the
 * transaction and sent after its COMMIT; a rollback sends nothing.
 *
 * What `work` returns is committed, what it throws is rolled back. An exception of a joined transaction, and a statement that failed, roll the
 * whole back even when they are caught on the way: there are no savepoints, so nobody may go on as if only a part had failed.
 *
 * Fences, sequence numbers and counts are `int8` columns far below 2^53 and arrive as numbers. A server that goes away ends queries with an
 * error, never the process: every client of the pool has an error listener.
 *
 * A migration may come while connections are open. A statement that was prepared before it is refused when it returns other columns now: it has
 * run nothing, so outside a transaction it is asked once more. Transactions that are under way fail as a whole, none of them twice.
 */
import pg from 'pg'
import type { Sql } from 'sql-template-tag'
import { noticeStale, ReplanningClient } from './replanning-client.ts'
import type { Topic } from './topics.ts'

/** Anything that runs statements: the pool, or a transaction. */
export interface Db {
  query<R extends object = Record<string, unknown>>(
    statement: Sql,
  ): Promise<{ rows: R[]; rowCount: number | null }>
  /** Runs `work` in one transaction, the running one if there is one; an exception rolls the whole of it back. */
  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T>
  /** Notifies listeners to look at the tables: at once on the pool, after COMMIT in a transaction. */
  notify(...topics: readonly Topic[]): void
}

export type Database = Db & {
  readonly pool: pg.Pool
  close(): Promise<void>
}

type Options = {
  /** Shows in `pg_stat_activity`. */
  name?: string
  /** At most so many (10). */
  connections?: number
  /** Where notifications go; without it nobody is notified and readers find changes by their scans. */
  notify?: (topic: Topic) => void
  /** How long a transaction may wait for its own process between two statements. */
  idleMs?: number
  /** How long a statement, or the wait for a connection, may take before it fails; without it as long as it takes. */
  patienceMs?: number
}

/**
 * The server gives up a statement before its client does: one that failed for its caller only would be committed later.
 */
const SERVER_SHARE = 15 / 16

/**
 * A process that hangs in the middle of a transaction keeps its locks, and everybody who comes to them waits. The server ends it long before
 * a lease (60 s) would: what it began is rolled back, and when it wakes it finds its connection gone. Ours never wait that long.
 */
const IDLE_MS = 20_000

const INT8 = 20

const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
}

/**
 * A connection stays once it is made. A new one takes longer than most of what is asked on it, and costs the server more: the password, and what
 * its server process has not seen yet of the tables and statements. One that is idle asks the network now and then whether it
 * still stands: what lies between would forget it, and nobody would notice before a statement hangs.
 */
const NEVER = 0
const KEEP_ALIVE_MS = 30_000

/**
 * What is asked here reads few rows along an index, and estimates of how few are often far too high. To start helping processes, or to compile the
 * statement, takes longer than all of its work: 40 ms for a count of 0.6. What the URL itself asks for as `options` stands instead.
 */
const SHORT_STATEMENTS = '-c max_parallel_workers_per_gather=0 -c jit=off'

/** Opens the ledger at `url`. */
export function openDatabase(url: string, options: Options = {}): Database {
  const pool = new pg.Pool({
    Client: ReplanningClient,
    connectionString: url,
    max: options.connections ?? 10,
    application_name: options.name ?? 'garden-bloom',
    options: SHORT_STATEMENTS,
    idleTimeoutMillis: NEVER,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    idle_in_transaction_session_timeout: options.idleMs ?? IDLE_MS,
    ...(options.patienceMs === undefined
      ? {}
      : {
          connectionTimeoutMillis: options.patienceMs,
          query_timeout: options.patienceMs,
          statement_timeout: Math.ceil(options.patienceMs * SERVER_SHARE),
        }),
    types,
  })
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const notify: Db['notify'] = (...topics) => {
    for (const topic of new Set(topics)) options.notify?.(topic)
  }
  return {
    pool,
    query: (statement) =>
      pool.query(statement).catch((error: unknown) => {
        if (noticeStale(error)) return pool.query(statement)
        throw error
      }),
    notify,
    transaction: (work) => inTransaction(pool, notify, work),
    close: () => pool.end(),
  }
}

async function inTransaction<T>(
  pool: pg.Pool,
  notify: Db['notify'],
  work: (tx: Db) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  const topics = new Set<Topic>()
  const failures: unknown[] = []
  const tx: Db = {
    query: (statement) =>
      client.query(statement).catch((error: unknown) => {
        noticeStale(error)
        throw error
      }),
    notify: (...more) => {
      for (const topic of more) topics.add(topic)
    },
    transaction: async (nested) => {
      try {
        return await nested(tx)
      } catch (error) {
        failures.push(error)
        throw error
      }
    },
  }
  let broken: Error | undefined
  let value: T
  try {
    await client.query('BEGIN')
    value = await work(tx)
    if (failures.length > 0) throw failures[0]
    // PostgreSQL answers the COMMIT of a transaction in which a statement failed with ROLLBACK, and no error.
    const { command } = await client.query('COMMIT')
    if (command !== 'COMMIT') throw new Error('rolled back: one of its statements had failed')
  } catch (error) {
    await client.query('ROLLBACK').catch((e: Error) => {
      broken = e
    })
    throw error
  } finally {
    client.release(broken)
  }
  notify(...topics)
  return value
}

/** The SQLSTATE of a failed statement, or undefined when the error did not come from PostgreSQL. */
export function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined
}

export const UNIQUE_VIOLATION = '23505'
