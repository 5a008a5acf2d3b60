/**
 * The engine knows the schedules that the definitions say ([schedules#how-it-works]): that of every active agent is enabled, that of an agent
 * which was paused, broke or was archived is not, and one that a definition has lost it forgets, whatever state the agent is in: what
 * comes due until it is put back belongs to no schedule. Only differences are registered.
 */
import sql from 'sql-template-tag'
import { agentMachine } from '#domain/agent/agent.machine.ts'
import { triggersOf } from '#server/agents/agent-file.ts'
import { scheduleFault } from '#server/agents/cron-slots.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import { cronIn } from '#server/ports/orchestration.ts'
import type { Services } from '#server/services.ts'

type Parts = { db: Db; orchestration: Pick<Services['orchestration'], 'registerSchedule'> }
type Known = Row<'agent', 'slug' | 'status' | 'definition'> & {
  cron: string | null
  zone: string | null
  enabled: boolean | null
}

/** Returns the slugs whose schedule was registered anew. */
export async function registerSchedules({ db, orchestration }: Parts): Promise<string[]> {
  const { rows } = await db.query<Known>(sql`SELECT a.slug, a.status, a.definition, s.cron, s.zone, s.enabled
    FROM agent a LEFT JOIN agent_schedule s ON s.agent_slug = a.slug
    WHERE a.definition #>> '{triggers,cron}' IS NOT NULL OR s.agent_slug IS NOT NULL ORDER BY a.slug`)
  const changed: string[] = []
  for (const known of rows) {
    const schedule = wanted(known)
    if (!schedule) continue
    await orchestration.registerSchedule({ agent_slug: known.slug, ...schedule })
    changed.push(known.slug)
  }
  return changed
}

type Wanted = { cron: string; enabled: boolean } | { cron: null }

/** What to register, or null when the engine has it already. */
function wanted({ status, definition, ...now }: Known): Wanted | null {
  const { cron, zone } = triggersOf(definition)
  if (cron === null || scheduleFault({ cron, zone })) return now.cron === null ? null : { cron: null }
  const isActive = status === agentMachine.events.activate.to
  const isKnown = now.enabled === isActive && now.cron === cron && now.zone === zone
  return isKnown ? null : { cron: cronIn({ cron, zone }), enabled: isActive }
}
