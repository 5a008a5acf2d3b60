import sql from 'sql-template-tag'
import { ObjectConflict } from '#server/ports/object-store.ts'
import type { Services } from '#server/services.ts'
import type { AgentRow } from './agent-row.ts'

const MAX_ATTEMPTS = 10

/**
 * `agents/<slug>/state.json`: the error that the runtime found, beside the file that the owner writes ([agents#A5]). Written only when
 * there is an error to show or to clear; by compare-and-set, so the newest read wins.
 */
export async function projectAgentState(
  { db, store }: Pick<Services, 'db' | 'store'>,
  slug: string,
): Promise<void> {
  const key = `agents/${slug}/state.json`
  for (let i = 0; i < MAX_ATTEMPTS; i++) {
    const there = await store.get(key)
    const { rows } = await db.query<AgentRow>(sql`SELECT * FROM agent WHERE slug = ${slug}`)
    const agent = rows[0]
    if (!agent || (!there && agent.error === null)) return
    const value = { schema: 'agent-state/1', slug, status: agent.status, error: agent.error }
    const bytes = new TextEncoder().encode(JSON.stringify(value))
    if (there && Buffer.from(there.bytes).equals(Buffer.from(bytes))) return
    try {
      await store.replace(key, bytes, there?.etag ?? null, 'application/json')
      return
    } catch (error) {
      if (!(error instanceof ObjectConflict)) throw error
    }
  }
}
