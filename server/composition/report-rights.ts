import sql from 'sql-template-tag'
import type { Services } from '#server/services.ts'

type Rights = { role: string; superuser: boolean; owner: boolean; roles: boolean; objects: boolean }

const BEYOND: Record<Exclude<keyof Rights, 'role'>, string> = {
  superuser: 'is a superuser',
  owner: 'owns the tables',
  roles: 'may create roles or databases',
  objects: 'may create objects',
}

/**
 * Warns in the log when the process's database role may do more than its statements need. Asked once, at the start; a ledger that
 * does not answer yet is the loops' and the requests' to report.
 */
export async function reportRights({ db, log }: Pick<Services, 'db' | 'log'>): Promise<void> {
  const rights = await rightsOf(db).catch(() => null)
  if (!rights) return
  const beyond = Object.entries(BEYOND).filter(([name]) => rights[name as keyof typeof BEYOND])
  if (beyond.length === 0) return
  const what = beyond.map(([, text]) => text).join(', ')
  log.warn(
    { role: rights.role },
    `the database role ${rights.role} ${what}: that is more than this process needs (README, Operations, says how to give it a role of its own)`,
  )
}

async function rightsOf(db: Services['db']): Promise<Rights | undefined> {
  const { rows } = await db.query<Rights>(sql`SELECT r.rolname AS role, r.rolsuper AS superuser,
      pg_has_role(c.relowner, 'MEMBER') AS owner, r.rolcreaterole OR r.rolcreatedb AS roles,
      has_schema_privilege('public', 'CREATE') OR has_database_privilege(current_database(), 'CREATE, TEMPORARY') AS objects
    FROM pg_roles r, pg_class c WHERE r.rolname = current_user AND c.oid = 'event'::regclass`)
  return rows[0]
}
