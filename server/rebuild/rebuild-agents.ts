/**
 * Agents: what their files say at the head of the garden, and what their events made of them ([rebuild#what-comes-back]). One that has run is
 * there even when the event that made it is lost, since its runs refer to it. An agent without any event is new: the first
 * synchronisation brings it.
 */
import { agentMachine } from '#domain/agent/agent.machine.ts'
import { AGENT_RECORD } from '#domain/agent/agent.record.ts'
import { fold, type PastEvent } from '#domain/event/record.rules.ts'
import { agentFields, FILE_MISSING } from '#server/agents/agent-fields.ts'
import { readDefinition } from '#server/agents/read-definition.ts'
import { inserter, type JsonRow } from './insert-rows.ts'
import type { Rebuild } from './rebuild-ledger.ts'

const BEGINNING = agentMachine.events.create.to

type AgentEvent = PastEvent & {
  slug: string
  name: string
  error_code: string | null
  revision: string | null
}

export async function rebuildAgents(to: Rebuild): Promise<Record<string, number>> {
  const agents = inserter(to, 'agent')
  const histories = new Map<string, AgentEvent[]>()
  for (const event of await agentEvents(to)) {
    const known = histories.get(event.slug)
    if (known) known.push(event)
    else histories.set(event.slug, [event])
  }
  const head = await to.garden.head()
  for (const [slug, events] of histories) {
    const file = await fileFields(to, slug, { head, made: events[0]?.revision ?? null })
    const [first, last] = [events[0]?.at, events.at(-1)?.at]
    if (events[0]?.event !== 'create')
      to.fault(`agents/${slug}/`, 'is told of by its runs, but not how it was made')
    const made = {
      slug,
      ...file,
      status: BEGINNING,
      failed_in_row: 0,
      error: null,
      created_at: first,
      updated_at: last,
    }
    const row = events.reduce((agent, event) => after(agent, event), made as JsonRow<'agent'>)
    await agents.add({ key: `agents/${slug}/`, row: { ...row, updated_at: last } })
  }
  return { agent: await agents.end() }
}

/** A run that ends says how many of its agent have failed in a row; the agent's own events say the rest. */
function after(agent: JsonRow<'agent'>, event: AgentEvent): JsonRow<'agent'> {
  if (event.name === 'run.requested') return agent
  if (event.name === 'run.completed') return { ...agent, failed_in_row: 0 }
  if (event.name === 'run.failed') {
    const counts = event.error_code !== 'AGENT_NOT_ACTIVE'
    return counts ? { ...agent, failed_in_row: Number(agent.failed_in_row) + 1 } : agent
  }
  const { revision: _, ...record } = event.record ?? {}
  return fold(agent, [{ ...event, record }], AGENT_RECORD)
}

async function agentEvents({ client }: Rebuild): Promise<AgentEvent[]> {
  const { rows } = await client.query<AgentEvent>(
    `SELECT coalesce(e.refs ->> 'agent', e.resource_id) AS slug, e.name, coalesce(e.transition, '') AS event,
      CASE WHEN e.resource_type = 'agent' THEN e.to_status END AS to, e.error_code, e.details -> 'record' AS record,
      e.details ->> 'revision' AS revision, to_char(e.ts AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at
     FROM event e JOIN event_seal s ON s.event = e.id
     WHERE e.outcome = 'ok' AND ((e.resource_type = 'agent' AND e.transition IS NOT NULL) OR e.name IN ('run.requested', 'run.completed', 'run.failed'))
     ORDER BY s.seq`,
  )
  return rows
}

/** The columns that the file gives; of one that is gone, those of the file as it was when the agent was made. */
async function fileFields(to: Rebuild, slug: string, { head, made }: { head: string; made: string | null }) {
  const file = await readDefinition(to.garden, slug, head)
  if (file) return agentFields(file)
  const older =
    made && (await to.garden.isOnBranch(made)) ? await readDefinition(to.garden, slug, made) : null
  const empty = { name: slug, description: '', version: '0.0.0', model: '', definition: {}, instructions: '' }
  return { ...(older ? agentFields(older) : empty), problems: [FILE_MISSING], sha256: '', revision: head }
}
