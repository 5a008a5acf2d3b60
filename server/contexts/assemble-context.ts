/**
 * The context snapshot of a RESEARCH job (contract page 04, section 2.3): what the agent may know, pinned at one commit of the garden,
 * serialised without times and stored create-only under its digest. The same question at the same commit gives the same object.
 *
 * Notes that the payload names come whole as `sources`; beside them the notes nearest to the question as `fragments`. Above the budget
 * the lowest-scored fragments go first, then the largest source; `dropped` lists them. Layer 1, entities and the wide mode come with
 * the memory's own room. The caller limits the time (10 s); a garden or store that does not answer throws.
 */
import canonicalize from 'canonicalize'
import sql from 'sql-template-tag'
import type { ContextSnapshot, ResearchPayload } from '#contracts/research.contract.ts'
import type { Services } from '#server/composition/services.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import { type GardenIndex, gardenAt } from '#server/notes/garden-index.ts'
import { estimateTokens } from '#server/ports/agent-executor.ts'
import { contextKey, sha256Hex } from '#server/ports/object-store.ts'
import { rankNotes } from '#server/retrieval/search-index.ts'

export const FRAGMENTS = 10
export const BUDGET_TOKENS = 200_000
const FEEDBACK_TOKENS = 1_000

export type AssembledContext = { key: string; sha256: string }
export type ContextOf = { agent_slug: string; payload: Record<string, unknown> }

/** Gives the assembler of this process. */
export function createAssembler({ db, store, garden }: Pick<Services, 'db' | 'store' | 'garden'>) {
  return async (job: ContextOf): Promise<AssembledContext> => {
    const [agent, feedback, notes] = await Promise.all([
      definitionOf(db, job.agent_slug),
      feedbackOf(db, job.agent_slug),
      gardenAt(garden),
    ])
    const snapshot = cutToBudget(snapshotOf(job, agent, feedback, notes))
    const bytes = Buffer.from(canonicalize(snapshot) ?? '')
    const sha256 = sha256Hex(bytes)
    const key = contextKey(sha256)
    await store.create(key, bytes, 'application/json')
    return { key, sha256 }
  }
}

function snapshotOf(
  job: ContextOf,
  definition: unknown,
  feedback: unknown[],
  notes: GardenIndex,
): ContextSnapshot {
  const payload = job.payload as ResearchPayload
  const named = (payload.sources ?? []).filter((s) => !s.text && !s.url).map((s) => s.ref)
  const sources = [...new Set(named)].sort().flatMap((ref) => {
    const note = notes.byPath.get(ref)
    return note ? [{ ref, revision: notes.revision, text: note.text }] : []
  })
  const fragments = rankNotes(notes.index, payload.query, FRAGMENTS).flatMap(({ ref, score }) => {
    const note = notes.byPath.get(ref)
    return note && !named.includes(ref)
      ? [{ ref, revision: notes.revision, text: note.text, score: Math.round(score * 1e6) / 1e6 }]
      : []
  })
  return {
    schema: 'context/1',
    agent_slug: job.agent_slug,
    memory_revision: null,
    mode: 'basic',
    layer1: {},
    definition,
    sources,
    fragments,
    entities: [],
    feedback,
    totals: {},
    dropped: [],
  }
}

/** Cuts to the budget and counts what is left. */
function cutToBudget(snapshot: ContextSnapshot): ContextSnapshot {
  const fragments = [...snapshot.fragments]
  const sources = [...snapshot.sources]
  const dropped: { kind: string; ref: string }[] = []
  const size = () => [...fragments, ...sources].reduce((sum, part) => sum + estimateTokens(part.text), 0)
  while (size() > BUDGET_TOKENS && fragments.length > 0) {
    dropped.push({ kind: 'fragment', ref: fragments.pop()?.ref ?? '' })
  }
  while (size() > BUDGET_TOKENS && sources.length > 0) {
    const largest = sources.reduce((a, b) => (b.text.length > a.text.length ? b : a))
    sources.splice(sources.indexOf(largest), 1)
    dropped.push({ kind: 'source', ref: largest.ref })
  }
  const totals = { tokens: size(), sources: sources.length, fragments: fragments.length }
  return { ...snapshot, fragments, sources, dropped, totals }
}

async function definitionOf(db: Db, slug: string): Promise<unknown> {
  const { rows } = await db.query<Row<'agent', 'slug' | 'version' | 'model'>>(
    sql`SELECT slug, version, model FROM agent WHERE slug = ${slug}`,
  )
  return rows[0] ?? { slug }
}

/** The owner's last ten rejections of this agent's proposals, with her words, newest first, within 1 000 tokens. */
async function feedbackOf(db: Db, slug: string): Promise<unknown[]> {
  const { rows } = await db.query<{
    note: string
  }>(sql`SELECT proposal_id, action, target_path AS target, decision_note AS note
    FROM proposal WHERE agent_slug = ${slug} AND status IN ('REJECTED', 'DISCARDED') AND decision_note IS NOT NULL
    ORDER BY created_at DESC, proposal_id DESC LIMIT 10`)
  let left = FEEDBACK_TOKENS
  return rows.filter((row) => {
    left -= estimateTokens(row.note)
    return left >= 0
  })
}
