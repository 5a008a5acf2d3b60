import sql from 'sql-template-tag'
import type { AgentRegistration, AgentView } from '#contracts/membridge.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { isName } from '#domain/membridge/identity.rules.ts'
import { json } from '#server/ledger/event-fields.ts'
import { changeWithEvent } from '#server/ledger/record-event.ts'
import { columns } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'
import { AGENT_COLUMNS, type AgentRow, agentView } from './agent-view.ts'
import { recordRegistration } from './registration-event.ts'

type Parts = Pick<Services, 'db'>

/** Registers the agent of a node under the node's name; 409 when the name is taken. */
export async function registerAgent(
  { db }: Parts,
  { name, url, status, capabilities }: AgentRegistration,
  caller: Caller,
): Promise<Result<AgentView>> {
  const event = { name: 'worker.registered', resource: 'worker', id: sql`m.name` } as const
  const rows = await changeWithEvent<AgentRow>(
    db,
    sql`WITH made AS (
      INSERT INTO membridge_agent AS a (name, url, reported_status, capabilities, registered_by)
      VALUES (${name}, ${url}, ${status}, ${json(capabilities)}, ${caller.identity})
      ON CONFLICT DO NOTHING RETURNING a.*
    ), inserted AS (${recordRegistration(sql`made`, { ...event, details: { url, capabilities } }, caller)})
    SELECT ${columns('membridge_agent', 'm', AGENT_COLUMNS)} FROM made m`,
  )
  const [row] = rows
  if (!row) return refuse({ code: 'DUPLICATE_ENTRY', message: `Agent '${name}' already registered` })
  return ok(agentView(row, row.registered_at))
}

/** Removes the registration; 404 when there is none. The node itself stays known by its heartbeats, which register no agent. */
export async function removeAgent(
  { db }: Parts,
  { name }: { name: string },
  caller: Caller,
): Promise<Result<null>> {
  const unknown = refuse({ code: 'NOT_FOUND', message: `Agent '${name}' not found` })
  if (!isName(name)) return unknown
  const rows = await changeWithEvent(
    db,
    sql`WITH made AS (
      DELETE FROM membridge_agent a WHERE a.name = ${name} RETURNING a.*
    ), inserted AS (${recordRegistration(sql`made`, { name: 'worker.removed', resource: 'worker', id: sql`m.name`, details: {} }, caller)})
    SELECT m.name FROM made m`,
  )
  if (rows.length === 0) return unknown
  return ok(null)
}
