import pg from 'pg'

/**
 * Uses of a prepared statement after which it is prepared once more. PostgreSQL keeps a plan until the statistics of its tables are taken again,
 * and that may be minutes: one that was made for an empty ledger reads whole tables, which a burst of jobs makes large before.
 */
export const PLANNED_AGAIN: readonly number[] = [30, 300, 3_000]

/**
 * How often the process was told that a statement returns other columns than it was prepared for. What a connection prepared before is not
 * used after: one answer of this kind, of whichever connection, stands for all that a migration made stale.
 */
let stale = 0

/**
 * Whether `error` says that a prepared statement returns other columns since a migration: PostgreSQL says so before it runs anything. From now on
 * no connection uses what it prepared before. The message is in the server's language, the name of the function that wrote it is not.
 */
export function isStale(error: unknown): boolean {
  const is = error instanceof pg.DatabaseError && error.routine === 'RevalidateCachedQuery'
  if (is) stale += 1
  return is
}

/** A connection that plans its prepared statements anew while they are young, and prepares them anew when they are stale. */
export class ReplanningClient extends pg.Client {
  readonly #uses = new Map<string, number>()

  // biome-ignore lint/suspicious/noExplicitAny: the driver's own overloads.
  override query(statement: any, ...more: any[]): any {
    const renamed = statement?.name ? this.#named(statement) : statement
    return Reflect.apply(super.query, this, [renamed, ...more])
  }

  #named({ name = '', text, values }: pg.QueryConfig): pg.QueryConfig {
    const uses = this.#uses.get(name) ?? 0
    this.#uses.set(name, uses + 1)
    const planned = PLANNED_AGAIN.filter((after) => uses >= after).length
    return { name: [name, planned, stale].join('_'), text, values: values ?? [] }
  }
}
