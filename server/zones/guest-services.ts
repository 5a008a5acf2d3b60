/**
 * The services as a guest's request gets them: `db` reads in read-only transactions under the role `bloom_guest`, which may
 * SELECT what a zone can show and nothing else. A use-case that tried to write, or to read an account, would fail here even if
 * its own checks did not.
 */
import sql from 'sql-template-tag'
import type { Services } from '#server/composition/services.ts'
import type { Db } from '#server/ledger/database.ts'

const known = new WeakMap<object, Services>()

export function guestServices(services: Services): Services {
  const made = known.get(services.database) ?? { ...services, db: guestDb(services) }
  known.set(services.database, made)
  return made
}

function guestDb({ database }: Pick<Services, 'database'>): Db {
  let role: Promise<string> | null = null
  const transaction: Db['transaction'] = async (work) => {
    role ??= guestRole(database).catch((error: unknown) => {
      role = null
      throw error
    })
    const name = await role
    return database.transaction(async (tx) => {
      await tx.query(
        sql`SELECT set_config('transaction_read_only', 'on', true), set_config('role', ${name}, true)`,
      )
      return work(tx)
    })
  }
  return {
    query: (statement) => transaction((tx) => tx.query(statement)),
    transaction,
    notify: () => undefined,
  }
}

/** The guests' role, or `none` where the database has none that we may take. */
async function guestRole(db: Db): Promise<string> {
  const { rows } = await db.query(
    sql`SELECT 1 FROM pg_roles WHERE rolname = 'bloom_guest' AND pg_has_role(oid, 'MEMBER')`,
  )
  return rows.length > 0 ? 'bloom_guest' : 'none'
}
