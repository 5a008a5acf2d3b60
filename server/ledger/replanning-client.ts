import pg from 'pg'

/**
 * Uses of a prepared statement after which it is prepared once more. PostgreSQL keeps a plan until the statistics of its tables are taken again,
 * and that may be minutes: one that was made for an empty ledger reads whole tables, which a burst of jobs makes large before.
 */
export const PLANNED_AGAIN: readonly number[] = [30, 300, 3_000]

/**
 * Uses of a connection's prepared statements after which the plans that the server keeps by itself are discarded, and again at twice as many each time: such a
 * plan is then never older than half of what its connection has done.
 */
const DISCARDED_AT = 32

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
 * A connection that plans its prepared statements anew while they are young, and prepares them anew when they are stale. The plans of foreign keys and of
 * functions belong to no statement of ours: they are made anew as the uses of the connection double.
 */
export class ReplanningClient extends pg.Client {
  readonly #uses = new Map<string, number>()
  #allUses = 0
  #discardAt = DISCARDED_AT

  // biome-ignore lint/suspicious/noExplicitAny: the driver's own overloads.
  override query(statement: any, ...more: any[]): any {
    const renamed = statement?.name ? this.#named(statement) : statement
    return Reflect.apply(super.query, this, [renamed, ...more])
  }

  #named({ name = '', text, values }: pg.QueryConfig): pg.QueryConfig {
    const uses = this.#uses.get(name) ?? 0
    this.#uses.set(name, uses + 1)
    this.#allUses += 1
    if (this.#allUses === this.#discardAt) this.#discardPlans()
    const planned = PLANNED_AGAIN.filter((after) => uses >= after).length
    return { name: [name, planned, stale].join('_'), text, values: values ?? [] }
  }

  /** Ahead of the statement that is about to be sent. In a transaction that has failed it fails as well, which is nobody's concern. */
  #discardPlans(): void {
    this.#discardAt *= 2
    super.query('DISCARD PLANS', () => {})
  }
}
