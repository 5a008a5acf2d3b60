/**
 * Step 01: the definition pinned at the garden's head, its sources, and the passages nearest to the question, cut to the agent's budget
 * and stored under their content address ([contexts#assembly]).
 */
import sql from 'sql-template-tag'
import type { ContextSnapshot } from '#contracts/research.contract.ts'
import { agentMachine } from '#domain/agent/agent.machine.ts'
import { DEFAULT_BUDGET_TOKENS, FRAGMENT_LIMIT } from '#domain/run/context-budget.rules.ts'
import { questionOf } from '#domain/run/run.rules.ts'
import { type PinnedDefinition, readDefinition } from '#server/agents/read-definition.ts'
import { assembleContext, storeContext } from '#server/contexts/assemble-context.ts'
import { changesRequestedOf } from '#server/contexts/changes-requested.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import { measure } from '#server/metrics/meter.ts'
import { estimateTokens } from '#server/ports/agent-executor.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { sha256Hex } from '#server/ports/object-store.ts'
import { gardenAt } from '#server/retrieval/garden-index.ts'
import { search } from '#server/retrieval/search-index.ts'
import { RunFault, type RunParts } from '../run-parts.ts'
import type { RunRow } from '../run-row.ts'

/** The build that made a checkpoint, so that a run that spans an upgrade shows it ([runs#I-R9]). */
export const APP_VERSION = process.env.npm_package_version ?? '0.1.0'

export async function loadContext(parts: RunParts, run: RunRow): Promise<Record<string, unknown>> {
  await mustBeActive(parts.db, run.agent_slug)
  const revision = await fromGarden(() => parts.garden.head())
  const definition = await pinDefinition(parts.garden, run.agent_slug, revision)
  const asked = await fromGarden(() => changesRequestedOf(parts, run))
  const context = await assembleContext(parts.db, {
    agent_slug: run.agent_slug,
    mode: definition.memoryMode,
    definition: { ...definition.definition, revision, sha256: definition.sha256 },
    definitionTokens: estimateTokens(definition.text),
    budget: definition.budgetTokens ?? DEFAULT_BUDGET_TOKENS,
    sources: [...(asked?.reviewed ?? []), ...(await sourcesOf(parts.garden, definition, revision))],
    changesRequested: asked?.changes ?? null,
    fragments: await fragmentsFor(parts.garden, questionOf(run.params), revision),
  })
  const { snapshot } = context
  await parts.failpoint?.('context-made')
  await storeContext(parts, context)
  return {
    definition: { version: definition.version, revision, sha256: definition.sha256 },
    mode: snapshot.mode,
    context_digest: context.sha256,
    context_object: context.key,
    memory_revision: null,
    layer1_tokens: 0,
    total_tokens: snapshot.totals.tokens,
    sources: snapshot.sources.map((s) => ({
      path: s.ref,
      sha256: sha256Hex(s.text),
      tokens: estimateTokens(s.text),
    })),
    fragments: snapshot.fragments.map((f) => ({
      path: f.ref,
      lines: f.lines,
      score: f.score,
      tokens: estimateTokens(f.text),
    })),
    dropped: snapshot.dropped,
    app_version: APP_VERSION,
  }
}

/** Before the first step of a run, whether it is executed or taken over; what has begun goes on while its agent is paused. */
export async function mustBeActive(db: Db, slug: string): Promise<void> {
  const { rows } = await db.query<Row<'agent', 'status'>>(sql`SELECT status FROM agent WHERE slug = ${slug}`)
  const status = rows[0]?.status
  if (status === agentMachine.events.activate.to) return
  throw new RunFault(
    'AGENT_NOT_ACTIVE',
    status ? `The agent's status is ${status}.` : 'There is no such agent.',
  )
}

async function pinDefinition(
  garden: GitRepository,
  slug: string,
  revision: string,
): Promise<PinnedDefinition> {
  const pinned = await fromGarden(() => readDefinition(garden, slug, revision))
  if (!pinned) throw new RunFault('AGENT_NOT_ACTIVE', `agents/${slug}/_agent.md is no longer in the garden.`)
  const errors = pinned.problems.filter((p) => p.severity === 'error')
  if (errors.length > 0) {
    throw new RunFault('DEFINITION_INVALID', errors.map((e) => e.message).join(' '))
  }
  return pinned
}

async function sourcesOf(
  garden: GitRepository,
  definition: PinnedDefinition,
  revision: string,
): Promise<ContextSnapshot['sources']> {
  const texts: ContextSnapshot['sources'] = []
  for (const path of definition.sources.slice(0, definition.maxSources)) {
    const file = await fromGarden(() => garden.read(path, revision))
    if (file) texts.push({ ref: path, revision, text: file.text })
  }
  return texts
}

async function fragmentsFor(
  garden: GitRepository,
  question: string,
  revision: string,
): Promise<ContextSnapshot['fragments']> {
  if (question === '') return []
  const { index } = await fromGarden(() => gardenAt(garden, revision))
  const built = await index()
  const hits = measure('garden_search_seconds', {}, () => search(built, question, FRAGMENT_LIMIT))
  return hits.map(({ ref, excerpt, score, lines }) => ({
    ref,
    revision,
    text: excerpt,
    score,
    lines,
  }))
}

/** When the garden's repository does not answer, step 01 is retried. */
async function fromGarden<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof RunFault) throw error
    throw new RunFault(
      'UPSTREAM_UNAVAILABLE',
      `The garden's repository does not answer: ${(error as Error).message}`,
      'upstream',
    )
  }
}
