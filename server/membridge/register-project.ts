import sql from 'sql-template-tag'
import type { ProjectView } from '#contracts/membridge.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { canonicalIdOf, isName } from '#domain/membridge/identity.rules.ts'
import { changeWithEvent } from '#server/ledger/record-event.ts'
import { sha256Hex } from '#server/ports/object-store.ts'
import type { Services } from '#server/services.ts'
import { nodesOf, type ProjectRow, projectColumns, projectView } from './project-view.ts'
import { recordRegistration } from './registration-event.ts'

type Parts = Pick<Services, 'db'>
type Named = { name: string }

/** Registers a project by hand. One that only heartbeats have announced becomes a manual one; 409 when a person has registered it already. */
export async function registerProject(
  { db }: Parts,
  { name }: Named,
  caller: Caller,
): Promise<Result<ProjectView>> {
  const details = { name, source: 'manual' }
  const rows = await changeWithEvent<ProjectRow>(
    db,
    sql`WITH made AS (
      INSERT INTO membridge_project AS p (canonical_id, name, source, registered_by)
      VALUES (${canonicalIdOf(name, sha256Hex)}, ${name}, 'manual', ${caller.identity})
      ON CONFLICT (canonical_id) DO UPDATE SET name = excluded.name, source = excluded.source, registered_by = excluded.registered_by
        WHERE p.source <> excluded.source
      RETURNING p.*
    ), inserted AS (${recordRegistration(sql`made`, { name: 'project.registered', resource: 'project', id: sql`m.canonical_id`, details }, caller)})
    SELECT ${projectColumns('m')} FROM made m CROSS JOIN LATERAL ${nodesOf(sql`m.canonical_id`)} s`,
  )
  const [row] = rows
  if (!row) return refuse({ code: 'DUPLICATE_ENTRY', message: `Project '${name}' already exists` })
  return ok(projectView(row))
}

/**
 * Removes what is registered under the name, by hand before what heartbeats gave the same name; 404 when nothing is. Nodes and objects stay, and the next heartbeat of a
 * node that names the project registers it again.
 */
export async function removeProject({ db }: Parts, { name }: Named, caller: Caller): Promise<Result<null>> {
  const unknown = refuse({ code: 'NOT_FOUND', message: `Project '${name}' not found` })
  if (!isName(name)) return unknown
  const rows = await changeWithEvent(
    db,
    sql`WITH made AS (
      DELETE FROM membridge_project p WHERE p.canonical_id = (SELECT n.canonical_id FROM membridge_project n WHERE n.name = ${name}
        ORDER BY n.source = 'manual' DESC, n.canonical_id LIMIT 1) RETURNING p.*
    ), inserted AS (${recordRegistration(sql`made`, { name: 'project.removed', resource: 'project', id: sql`m.canonical_id`, details: { name } }, caller)})
    SELECT m.canonical_id FROM made m`,
  )
  if (rows.length === 0) return unknown
  return ok(null)
}
