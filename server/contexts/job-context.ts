/**
 * What a RESEARCH job may know, pinned at one commit of the garden: the notes that its payload names come whole as sources, else the
 * files of its agent's `sources/`; beside them the notes nearest to the question as fragments. The same question at the same commit gives the same object. The caller limits the
 * time (10 s); a garden or store that does not answer throws.
 */
import sql from 'sql-template-tag'
import type { ContextSnapshot, ResearchPayload } from '#contracts/research.contract.ts'
import { FRAGMENT_LIMIT, MAX_CONTEXT_TOKENS } from '#domain/run/context-budget.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import { estimateTokens } from '#server/ports/agent-executor.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { type GardenIndex, gardenAt } from '#server/retrieval/garden-index.ts'
import { wholeNotes } from '#server/retrieval/garden-notes.ts'
import { rankNotes } from '#server/retrieval/search-index.ts'
import type { Services } from '#server/services.ts'
import { type AssembledContext, assembleContext, storeContext } from './assemble-context.ts'

export type ContextOf = { agent_slug: string; payload: Record<string, unknown> }
export type JobContext = Pick<AssembledContext, 'key' | 'sha256'>

/** Gives the assembler of this process. */
export function createAssembler({ db, store, garden }: Pick<Services, 'db' | 'store' | 'garden'>) {
  return async ({ agent_slug, payload }: ContextOf): Promise<JobContext> => {
    const [definition, notes] = await Promise.all([definitionOf(db, agent_slug), gardenAt(garden)])
    const texts = await textsFor(garden, payload as ResearchPayload, notes)
    const named = ((payload as ResearchPayload).sources ?? []).length > 0
    const own = named ? [] : await ownSources(garden, agent_slug, notes.revision)
    const context = await assembleContext(db, {
      agent_slug,
      mode: 'basic',
      definition,
      definitionTokens: estimateTokens(JSON.stringify(definition)),
      budget: MAX_CONTEXT_TOKENS,
      ...texts,
      sources: [...texts.sources, ...own],
    })
    await storeContext({ db, store }, context)
    return { key: context.key, sha256: context.sha256 }
  }
}

async function textsFor(
  garden: GitRepository,
  payload: ResearchPayload,
  { notes, byPath, index, revision }: GardenIndex,
): Promise<Pick<ContextSnapshot, 'sources' | 'fragments'>> {
  const named = new Set((payload.sources ?? []).filter((s) => !s.text && !s.url).map((s) => s.ref))
  const near = rankNotes(await index(), payload.query, FRAGMENT_LIMIT).filter(({ ref }) => !named.has(ref))
  const nearNotes = near.flatMap(({ ref }) => byPath.get(ref) ?? [])
  const scores = new Map(near.map(({ ref, score }) => [ref, Math.round(score * 1e6) / 1e6]))
  const fragments = await wholeNotes(garden, revision, nearNotes)
  const sources = await wholeNotes(
    garden,
    revision,
    notes.filter(({ path }) => named.has(path)),
  )
  return {
    sources: sources.map(({ path, text }) => ({ ref: path, revision, text })),
    fragments: fragments.map(({ path, text }) => ({
      ref: path,
      revision,
      text,
      score: scores.get(path) ?? 0,
    })),
  }
}

const MAX_SOURCES = 10
/** The first files of the agent's own `sources/`, by name. */
async function ownSources(
  garden: GitRepository,
  slug: string,
  revision: string,
): Promise<ContextSnapshot['sources']> {
  const folder = `agents/${slug}/sources/`
  const paths = (await garden.list(revision)).map((e) => e.path).filter((path) => path.startsWith(folder))
  const files = await Promise.all(
    paths
      .sort()
      .slice(0, MAX_SOURCES)
      .map(async (ref) => ({ ref, revision, text: (await garden.read(ref, revision))?.text ?? '' })),
  )
  return files.filter(({ text }) => text !== '')
}

async function definitionOf(db: Db, slug: string): Promise<unknown> {
  const { rows } = await db.query(sql`SELECT slug, version, model FROM agent WHERE slug = ${slug}`)
  return rows[0] ?? { slug }
}
