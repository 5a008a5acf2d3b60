import pg from 'pg'

/**
 * Uses of a prepared statement after which it is prepared once more. PostgreSQL keeps a plan until the statistics of its tables are taken again,
 * and that may be minutes: one that was made for an empty ledger reads whole tables, which a burst of jobs makes large before. The first uses of a
 * burst may be batches, so they count already.
 */
export const PLANNED_AGAIN: readonly number[] = [5, 30, 300, 3_000]

/**
 * How often the process was told that a statement returns other columns than it was prepared for. What a connection prepared before is not
 * used after: one answer of this kind, of whichever connection, stands for all that a migration made stale.
 */
let stale = 0

/**
 * Takes note when `error` says that a prepared statement returns other columns since a migration: from then on no connection uses what it prepared
 * before. Tells whether it said so; PostgreSQL does before it runs anything. Its message is in the server's language, the name of the function that
 * wrote it is not.
 */
export function noticeStale(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError && error.routine === 'RevalidateCachedQuery')) return false
  stale += 1
  return true
}

/**
 * A connection that plans its prepared statements anew while they are young, and prepares them anew when they are stale. With the first that is planned
 * anew go the plans that the server keeps by itself: those of foreign keys and of functions.
 */
export class ReplanningClient extends pg.Client {
  readonly #uses = new Map<string, number>()
  #planned = 0

  // biome-ignore lint/suspicious/noExplicitAny: the driver's own overloads.
  override query(statement: any, ...more: any[]): any {
    const renamed = statement?.name ? this.#named(statement) : statement
    return Reflect.apply(super.query, this, [renamed, ...more])
  }

  #named({ name = '', text, values }: pg.QueryConfig): pg.QueryConfig {
    const uses = this.#uses.get(name) ?? 0
    this.#uses.set(name, uses + 1)
    const planned = PLANNED_AGAIN.filter((after) => uses >= after).length
    if (planned > this.#planned) this.#discardPlans(planned)
    return { name: [name, planned, stale].join('_'), text, values: values ?? [] }
  }

  /** Ahead of the statement that is about to be sent. In a transaction that has failed it fails as well, which is nobody's concern. */
  #discardPlans(planned: number): void {
    this.#planned = planned
    super.query('DISCARD PLANS', () => {})
  }
}
