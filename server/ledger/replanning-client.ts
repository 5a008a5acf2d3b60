import pg from 'pg'

/**
 * Uses of a prepared statement after which it is prepared once more. PostgreSQL keeps a plan until the statistics of its tables are taken again,
 * and that may be minutes: one that was made for an empty ledger reads whole tables, which a burst of jobs makes large before.
 */
export const PLANNED_AGAIN: readonly number[] = [30, 300, 3_000]

/** A connection that plans its prepared statements anew while they are young. */
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
    return { name: planned === 0 ? name : `${name}_${planned}`, text, values: values ?? [] }
  }
}
