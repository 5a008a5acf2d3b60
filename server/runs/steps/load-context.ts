/**
 * Step 01: the definition pinned at the garden's head, its sources, and the passages nearest to the question, cut to the
 * agent's budget and stored under their content address (contract page 04, section 2.3; page 03, section 3.1).
 *
 * Layer 1 of the memory is not there yet: the snapshot says so (`memory_revision` null, no tokens) instead of inventing one.
 */

import canonicalize from 'canonicalize'
import sql from 'sql-template-tag'
import type { ContextSnapshot } from '#contracts/research.contract.ts'
import { agentMachine } from '#domain/agent/agent.machine.ts'
import {
  type ContextPart,
  cutToBudget,
  DEFAULT_BUDGET_TOKENS,
  type Dropped,
  FEEDBACK_LIMIT,
  FRAGMENT_LIMIT,
} from '#domain/run/context-budget.rules.ts'
import { type PinnedDefinition, readDefinition } from '#server/agents/read-definition.ts'
import type { Db } from '#server/ledger/database.ts'
import { gardenAt } from '#server/notes/garden-index.ts'
import { estimateTokens } from '#server/ports/agent-executor.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { contextKey, sha256Hex } from '#server/ports/object-store.ts'
import { search } from '#server/retrieval/search-index.ts'
import { asJson } from '../digest.ts'
import { RunFault, type RunParts } from '../run-parts.ts'
import type { RunRow } from '../run-row.ts'
import { questionOf } from '../run-title.ts'

/** The build that made a checkpoint, so that a run that crosses an upgrade shows it (page 11, R9). */
export const APP_VERSION = process.env.npm_package_version ?? '0.1.0'

type Part = ContextPart &
  (
    | { kind: 'source'; entry: ContextSnapshot['sources'][number] }
    | { kind: 'fragment'; entry: ContextSnapshot['fragments'][number] }
  )

export async function loadContext(parts: RunParts, run: RunRow): Promise<Record<string, unknown>> {
  await mustBeActive(parts.db, run.agent_slug)
  const revision = await fromGarden(() => parts.garden.head())
  const definition = await pinDefinition(parts.garden, run.agent_slug, revision)
  const assembled = await assemble(parts, run, definition, revision)
  const bytes = new TextEncoder().encode(canonicalize(assembled.snapshot) ?? '')
  const digest = sha256Hex(bytes)
  await parts.failpoint?.('context-made')
  await parts.store.create(contextKey(digest), bytes, 'application/json')
  return {
    definition: { version: definition.version, revision, sha256: definition.sha256 },
    mode: assembled.snapshot.mode,
    context_digest: digest,
    context_object: contextKey(digest),
    memory_revision: null,
    layer1_tokens: 0,
    total_tokens: assembled.tokens,
    sources: assembled.snapshot.sources.map((s) => ({
      path: s.ref,
      sha256: sha256Hex(s.text),
      tokens: estimateTokens(s.text),
    })),
    fragments: assembled.snapshot.fragments.map((f) => ({
      path: f.ref,
      lines: f.lines,
      score: f.score,
      tokens: estimateTokens(f.text),
    })),
    dropped: assembled.dropped,
    app_version: APP_VERSION,
  }
}

async function mustBeActive(db: Db, slug: string): Promise<void> {
  const { rows } = await db.query<{ status: string }>(sql`SELECT status FROM agent WHERE slug = ${slug}`)
  const status = rows[0]?.status
  if (status === agentMachine.events.activate.to) return
  throw new RunFault('AGENT_NOT_ACTIVE', status ? `The agent is ${status}.` : 'There is no such agent.')
}

async function pinDefinition(
  garden: GitRepository,
  slug: string,
  revision: string,
): Promise<PinnedDefinition> {
  const pinned = await fromGarden(() => readDefinition(garden, slug, revision))
  if (!pinned)
    throw new RunFault('AGENT_NOT_ACTIVE', `agents/${slug}/_agent.md is not in the garden any more.`)
  const errors = pinned.problems.filter((p) => p.severity === 'error')
  if (errors.length > 0) {
    throw new RunFault('DEFINITION_INVALID', errors.map((e) => e.message).join(' '))
  }
  return pinned
}

async function assemble(parts: RunParts, run: RunRow, definition: PinnedDefinition, revision: string) {
  const [sources, fragments, feedback] = [
    await sourcesOf(parts.garden, definition, revision),
    await fragmentsFor(parts.garden, questionOf(run.params), revision),
    await feedbackFor(parts.db, run.agent_slug),
  ]
  const fixed = estimateTokens(definition.text) + estimateTokens(JSON.stringify(feedback))
  const budget = definition.budgetTokens ?? DEFAULT_BUDGET_TOKENS
  const { kept, dropped } = cutToBudget<Part>([...sources, ...fragments], fixed, budget)
  const tokens = fixed + kept.reduce((sum, p) => sum + p.tokens, 0)
  const snapshot: ContextSnapshot = {
    schema: 'context/1',
    agent_slug: run.agent_slug,
    memory_revision: null,
    mode: definition.memoryMode,
    layer1: {},
    definition: { ...definition.definition, revision, sha256: definition.sha256 },
    sources: kept.flatMap((p) => (p.kind === 'source' ? [p.entry] : [])),
    fragments: kept.flatMap((p) => (p.kind === 'fragment' ? [p.entry] : [])),
    entities: [],
    feedback,
    totals: { tokens, budget, layer1_tokens: 0 },
    dropped: dropped satisfies Dropped[],
  }
  return { snapshot: asJson(snapshot), tokens, dropped }
}

async function sourcesOf(
  garden: GitRepository,
  definition: PinnedDefinition,
  revision: string,
): Promise<Part[]> {
  const texts: Part[] = []
  for (const path of definition.sources.slice(0, definition.maxSources)) {
    const file = await fromGarden(() => garden.read(path, revision))
    if (!file) continue
    const entry = { ref: path, revision, text: file.text }
    texts.push({ kind: 'source', ref: path, tokens: estimateTokens(file.text), score: 0, entry })
  }
  return texts
}

async function fragmentsFor(garden: GitRepository, question: string, revision: string): Promise<Part[]> {
  if (question === '') return []
  const { index } = await fromGarden(() => gardenAt(garden, revision))
  return search(index, question, FRAGMENT_LIMIT).map((hit) => ({
    kind: 'fragment' as const,
    ref: hit.ref,
    tokens: estimateTokens(hit.excerpt),
    score: hit.score,
    entry: { ref: hit.ref, revision, text: hit.excerpt, score: hit.score, lines: hit.lines },
  }))
}

/** The owner's last rejections with their notes, newest first, as far as the tokens go (section 2.3, step 3). */
async function feedbackFor(db: Db, slug: string): Promise<Record<string, unknown>[]> {
  const { rows } = await db.query(
    sql`SELECT proposal_id, action, target_path AS target, summary, decision_note AS note, reason_code FROM proposal
      WHERE agent_slug = ${slug} AND decision_note IS NOT NULL AND status IN ('REJECTED', 'DISCARDED')
      ORDER BY decided_at DESC, proposal_id DESC LIMIT ${FEEDBACK_LIMIT.entries}`,
  )
  const kept: Record<string, unknown>[] = []
  let tokens = 0
  for (const row of rows) {
    tokens += estimateTokens(JSON.stringify(row))
    if (tokens > FEEDBACK_LIMIT.tokens) break
    kept.push(row)
  }
  return kept
}

/** The garden's repository stands for the Memory Backend here: when it does not answer, step 01 tries again (page 03, section 3). */
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
