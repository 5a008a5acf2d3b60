/**
 * The services as a guest's request gets them: `db` and `reads` read in read-only transactions under the guests' role, which may
 * SELECT what a zone can show and nothing else. A use-case that tried to write, or to read an account, would fail here even if
 * its own checks did not.
 */
import sql from 'sql-template-tag'
import type { Db } from '#server/ledger/database.ts'
import type { Reads } from '#server/ledger/prisma.ts'
import { readsAs } from '#server/ledger/reads-as.ts'
import type { Services } from '#server/services.ts'

const known = new WeakMap<object, Services>()

export function guestServices(services: Services): Services {
  const made = known.get(services.database) ?? asGuest(services)
  known.set(services.database, made)
  return made
}

function asGuest(services: Services): Services {
  const role = rememberedRole(services.db)
  let reads: Reads | null = null
  return {
    ...services,
    db: guestDb(services.db, role),
    get reads() {
      reads ??= readsAs(services.reads, role)
      return reads
    },
  }
}

function guestDb(db: Db, role: () => Promise<string>): Db {
  const transaction: Db['transaction'] = async (work) => {
    const name = await role()
    return db.transaction(async (tx) => {
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

/** The guests' role, asked for once: the one of this database, or `none` where it has none that we may take. */
function rememberedRole(db: Db): () => Promise<string> {
  let role: Promise<string> | null = null
  return () => {
    role ??= guestRole(db).catch((error: unknown) => {
      role = null
      throw error
    })
    return role
  }
}

async function guestRole(db: Db): Promise<string> {
  const { rows } = await db.query<{ name: string }>(
    sql`SELECT rolname AS name FROM pg_roles WHERE rolname LIKE '%\\_guest' AND NOT rolcanlogin AND pg_has_role(oid, 'MEMBER')
      AND has_table_privilege(oid, 'zone', 'SELECT') AND NOT has_table_privilege(oid, 'session', 'SELECT') ORDER BY rolname LIMIT 1`,
  )
  return rows[0]?.name ?? 'none'
}
