/** SQL, not Prisma Client, which the Control Plane's process does not open. */
import sql from 'sql-template-tag'
import type { Services } from '#server/services.ts'

export type Registrations = { projects: number; agents: number }

/** How many projects and agents are registered. */
export async function countRegistrations({ db }: Pick<Services, 'db'>): Promise<Registrations> {
  const { rows } =
    await db.query<Registrations>(sql`SELECT (SELECT count(*)::int FROM membridge_project) AS projects,
    (SELECT count(*)::int FROM membridge_agent) AS agents`)
  return rows[0] as Registrations
}
