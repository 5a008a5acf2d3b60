/**
 * Starts agents by events: a consumer of sealed events, as the projector is ([outbox#how-it-works]). It begins at the head of the chain, so
 * nothing of the past fires, and delivery at least once becomes exactly once by the slot of each event.
 */
import sql from 'sql-template-tag'
import type { TriggerEvent } from '#contracts/agent-triggers.contract.ts'
import type { RunParams } from '#contracts/run-commands.contract.ts'
import { agentMachine } from '#domain/agent/agent.machine.ts'
import { isNotePath } from '#domain/garden/garden-path.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import type { SealedEvent } from '#server/ledger/seal.ts'
import { state } from '#server/ledger/states.ts'
import { consume } from '#server/outbox/consume.ts'
import { type FireParts, fireSlot } from './fire-slot.ts'

/** The name of the consumer, and of the loop that runs it. */
export const TRIGGERS = 'triggers'

/** What happened, and whose work it was: the agent and its run, where an agent's. */
type Happening = { event: TriggerEvent; params: RunParams; agent: string | null; runId: string | null }

/** Handles the next batch; returns how many events it looked at. */
export async function fireEvents(parts: FireParts, holder: string): Promise<number> {
  await parts.db.query(sql`INSERT INTO consumer (name, seq) SELECT ${TRIGGERS}, seq FROM event_head
    ON CONFLICT (name) DO NOTHING`)
  return consume(parts.db, {
    name: TRIGGERS,
    holder,
    handle: async (events) => {
      for (const event of events) await startBy(parts, event)
    },
  })
}

async function startBy(parts: FireParts, event: SealedEvent): Promise<void> {
  const happened = await happeningOf(parts.db, event)
  if (!happened) return
  const chain = await chainOf(parts.db, happened)
  for (const slug of await waitingFor(parts.db, happened.event, event.ts)) {
    const { params } = happened
    await fireSlot(parts, { slug, slot: `event:${event.event_id}`, trigger: 'event', chain, params })
  }
}

async function happeningOf(db: Db, e: SealedEvent): Promise<Happening | null> {
  if (e.name === 'artifact.created') return artifactCreated(db, e.resource_id)
  return e.name === 'proposal.applied' ? proposalApplied(db, e.resource_id) : null
}

async function artifactCreated(db: Db, id: string): Promise<Happening | null> {
  const { rows } = await db.query<Row<'artifact', 'agent_slug' | 'run_id'>>(
    sql`SELECT agent_slug, run_id FROM artifact WHERE artifact_id = ${id}`,
  )
  const [row] = rows
  if (!row) return null
  return { event: 'artifact/created', params: { artifact: id }, agent: row.agent_slug, runId: row.run_id }
}

type Change = { path: string; type: string }

/** A note is created, a comment approved, when the commit is made: until then the decision may be undone. */
async function proposalApplied(db: Db, id: string): Promise<Happening | null> {
  const { rows } = await db.query<
    Row<'proposal', 'target_type' | 'target_path' | 'agent_slug' | 'run_id'> & { changes: Change[] }
  >(sql`SELECT target_type, target_path, agent_slug, run_id, changes FROM proposal WHERE proposal_id = ${id}`)
  const [row] = rows
  if (!row) return null
  const by = { agent: row.agent_slug, runId: row.run_id }
  if (row.target_type === 'comment')
    return { event: 'comment/approved', params: { target: row.target_path }, ...by }
  const made = row.changes.filter(({ type, path }) => type === 'create' && isNotePath(path))
  return made.length === 0
    ? null
    : { event: 'note/created', params: { notes: made.map(({ path }) => path) }, ...by }
}

/** The agents whose work led to this, one to the next. */
async function chainOf(db: Db, { agent, runId }: Happening): Promise<string[]> {
  if (agent === null) return []
  const { rows } = await db.query<Row<'agent_slot', 'chain'>>(
    sql`SELECT chain FROM agent_slot WHERE run_id = ${runId}`,
  )
  return [...(rows[0]?.chain ?? []), agent]
}

/** Active agents that name the event and have been active since before it. */
async function waitingFor(db: Db, event: TriggerEvent, ts: Date): Promise<string[]> {
  const { rows } = await db.query<Row<'agent', 'slug'>>(sql`SELECT a.slug FROM agent a
    WHERE a.status = ${state(agentMachine, 'active')} AND a.definition #> '{triggers,events}' ? ${event}
      AND NOT EXISTS (SELECT 1 FROM event e WHERE e.resource_type = 'agent' AND e.resource_id = a.slug
        AND e.outcome = 'ok' AND e.transition IS NOT NULL AND e.ts > ${ts})
    ORDER BY a.slug`)
  return rows.map((row) => row.slug)
}
