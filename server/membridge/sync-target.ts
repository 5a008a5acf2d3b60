/** SQL, not Prisma Client, which the Control Plane's process does not open. */
import sql from 'sql-template-tag'
import type { Refusal } from '#domain/kernel/errors.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { isName } from '#domain/membridge/identity.rules.ts'
import { isJoined, TRUSTED } from '#server/keys/call-key.ts'
import type { Services } from '#server/services.ts'
import { addressFault } from './node-address.ts'

type Parts = Pick<Services, 'db'> & { env: { ALLOW_INSECURE_LAN: boolean } }

/** Whom a sync is asked of. */
export type SyncTarget = {
  project: string
  agent: string
  canonicalId: string
  url: string
  /** The node was joined by a key of its own, in whatever state that key is now. */
  joined: boolean
}
type Found = {
  canonical_id: string | null
  agent: string | null
  url: string | null
  registered_by: string | null
}

/** The project and the agent under these names, 404; an agent that cannot be called is 409, and nothing is recorded. */
export async function findSyncTarget(
  { db, env }: Parts,
  { project, agent }: { project: string; agent: string },
): Promise<Result<SyncTarget>> {
  const unknown = (what: string, name: string) =>
    refuse({ code: 'NOT_FOUND', message: `${what} '${name}' not found` })
  if (!isName(project)) return unknown('Project', project)
  const { rows } = await db.query<Found & { joined: boolean }>(sql`
    SELECT p.canonical_id, a.name AS agent, a.url, a.registered_by,
      ${isJoined(sql`a.name`)} AS joined
    FROM (SELECT 1) one
    LEFT JOIN LATERAL (SELECT n.canonical_id FROM membridge_project n WHERE n.name = ${project}
      ORDER BY n.source = 'manual' DESC, n.canonical_id LIMIT 1) p ON true
    LEFT JOIN membridge_agent a ON a.name = ${agent}`)
  const [found] = rows
  if (!found?.canonical_id) return unknown('Project', project)
  if (found.agent === null) return unknown('Agent', agent)
  const fault = callFault(found, env)
  if (fault || found.url === null) return refuse(notCallable(agent, fault ?? ''))
  return ok({ project, agent, canonicalId: found.canonical_id, url: found.url, joined: found.joined })
}

const notCallable = (agent: string, why: string): Refusal => ({
  code: 'NODE_NOT_CALLABLE',
  message: `Agent '${agent}' can't be called. ${why}`.trim(),
})

function callFault({ url, registered_by }: Found, env: { ALLOW_INSECURE_LAN: boolean }): string | null {
  if (url === null) return 'It is registered without a URL. Remove it and register it with one.'
  if (!TRUSTED.includes(registered_by ?? ''))
    return 'Neither the owner nor the admin key registered its URL. The owner removes it and registers it again.'
  return addressFault(url, env)
}
