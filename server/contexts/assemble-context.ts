/**
 * The one assembly of a context snapshot, for jobs and for runs ([contexts#assembly]): definition, sources, the owner's
 * feedback, the fragments nearest to the question, cut to the budget, serialised without times. The same parts give the same bytes,
 * so the object is stored create-only under its digest.
 *
 * The definition, the feedback and the changes that were asked for are never cut; `dropped` lists what was. Agents have no memory to read from: `memory_revision` is null,
 * `layer1` and `entities` are empty and count no tokens, so whoever reads a snapshot sees that an answer knew the garden alone.
 */
import canonicalize from 'canonicalize'
import type { ContextSnapshot } from '#contracts/research.contract.ts'
import { type ContextPart, cutToBudget } from '#domain/run/context-budget.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import { storeAddressed } from '#server/objects/store-addressed.ts'
import { estimateTokens } from '#server/ports/agent-executor.ts'
import { contextKey, sha256Hex } from '#server/ports/object-store.ts'
import type { Services } from '#server/services.ts'
import type { ChangesForContext } from './changes-requested.ts'
import { ownerFeedback } from './owner-feedback.ts'

export type ContextRequest = Pick<
  ContextSnapshot,
  'agent_slug' | 'mode' | 'definition' | 'sources' | 'fragments'
> & {
  /** Of a run that answers a request for changes. */
  changesRequested?: ChangesForContext | null
  /** What the definition takes of the budget. */
  definitionTokens: number
  budget: number
}
export type AssembledContext = { key: string; sha256: string; snapshot: ContextSnapshot; bytes: Uint8Array }

type Part = ContextPart &
  (
    | { kind: 'source'; entry: ContextSnapshot['sources'][number] }
    | { kind: 'fragment'; entry: ContextSnapshot['fragments'][number] }
  )

export async function assembleContext(db: Db, request: ContextRequest): Promise<AssembledContext> {
  const { agent_slug, mode, definition, definitionTokens, budget } = request
  const feedback = await ownerFeedback(db, agent_slug)
  const asked = request.changesRequested ? { changes_requested: request.changesRequested } : {}
  const fixed = definitionTokens + estimateTokens(JSON.stringify(feedback)) + tokensOf(asked)
  const { kept, dropped } = cutToBudget(partsOf(request), fixed, budget)
  const snapshot: ContextSnapshot = {
    schema: 'context/1',
    agent_slug,
    memory_revision: null,
    mode,
    layer1: {},
    definition,
    sources: kept.flatMap((part) => (part.kind === 'source' ? [part.entry] : [])),
    fragments: kept.flatMap((part) => (part.kind === 'fragment' ? [part.entry] : [])),
    entities: [],
    feedback,
    ...asked,
    totals: { tokens: kept.reduce((sum, part) => sum + part.tokens, fixed), budget, layer1_tokens: 0 },
    dropped,
  }
  const bytes = new TextEncoder().encode(canonicalize(snapshot) ?? '')
  const sha256 = sha256Hex(bytes)
  return { key: contextKey(sha256), sha256, snapshot, bytes }
}

/** Stores the snapshot under its address; one that is there already stays as it is. */
export async function storeContext(
  parts: Pick<Services, 'db' | 'store'>,
  context: AssembledContext,
): Promise<void> {
  await storeAddressed(parts, context)
}

function partsOf({ sources, fragments }: ContextRequest): Part[] {
  return [
    ...sources.map(
      (entry): Part => ({ kind: 'source', ref: entry.ref, tokens: tokens(entry), score: 0, entry }),
    ),
    ...fragments.map((entry): Part => {
      const { ref, score } = entry
      return { kind: 'fragment', ref, tokens: tokens(entry), score, entry }
    }),
  ]
}

const tokensOf = (asked: object): number =>
  Object.keys(asked).length === 0 ? 0 : estimateTokens(JSON.stringify(asked))

const tokens = ({ text }: { text: string }): number => estimateTokens(text)
