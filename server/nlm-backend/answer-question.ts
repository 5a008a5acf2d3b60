/** `POST /query` ([nlm-backend#endpoints]): a question answered while the caller waits, from texts that it names. Nothing is kept. */
import { type NlmAnswer, type NlmQuery, nlmQuery } from '#contracts/nlm-query.contract.ts'
import type { ResearchPayload } from '#contracts/research.contract.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { NLM_PHASE_LIMIT_SECONDS } from '#domain/nlm/nlm-work.machine.ts'
import { TimedOut, withTimeout } from '#server/concurrency/with-timeout.ts'
import { type GuardedFetch, originOf } from '#server/outbound/guarded-fetch.ts'
import { checkGrounding } from '#server/retrieval/check-grounding.ts'
import type { IndexDocument } from '#server/retrieval/document-lines.ts'
import { type ResearchAnswer, research } from '#server/retrieval/research-engine.ts'
import { buildIndexInSlices } from '#server/retrieval/search-index.ts'
import type { FieldFault } from './admit-job.ts'
import { digestOf, documentsFor, fetchSnapshot } from './fetch-context.ts'
import { WorkFailed } from './work.ts'

const LIMIT_MS = (NLM_PHASE_LIMIT_SECONDS.FETCHING_CONTEXT + NLM_PHASE_LIMIT_SECONDS.NLM_QUERY) * 1000

/** The answer of the extractive engine with the quotes it stands in; 422 for what may not be asked, 502 when a source cannot be read. */
export async function answerQuestion(
  body: string,
  { guard, stopped }: { guard: GuardedFetch; stopped: AbortSignal },
): Promise<Result<NlmAnswer>> {
  const raw = parseJson(body)
  if (raw === undefined) return refuse({ code: 'INVALID_JSON', message: 'The body is not JSON.' })
  const parsed = nlmQuery.safeParse(raw)
  if (!parsed.success)
    return invalid(parsed.error.issues.map((i) => ({ field: i.path.join('.'), message: i.message })))
  const faults = addressFaults(parsed.data, guard)
  if (faults.length > 0) return invalid(faults)
  try {
    return ok(
      await withTimeout({ ms: LIMIT_MS, signal: stopped }, (signal) => answer(parsed.data, guard, signal)),
    )
  } catch (error) {
    return refuse(refusalOf(error))
  }
}

async function answer(asked: NlmQuery, guard: GuardedFetch, signal: AbortSignal): Promise<NlmAnswer> {
  const documents = await documentsOf(asked, guard, signal)
  const found = research(await buildIndexInSlices(documents, signal), { query: asked.question })
  return checked(found, documents)
}

/** Citations are checked by code, whatever the engine claims ([nlm-backend#I-N4]). */
function checked(found: ResearchAnswer, documents: readonly IndexDocument[]): NlmAnswer {
  const { faults, ...grounding } = checkGrounding(found.content, found.sources, documents)
  if (faults.length > 0) throw new WorkFailed('STRUCTURE_ERROR', faults[0] ?? 'citations do not hold')
  const citations = found.sources.map(({ ref, lines, excerpt, revision }) => ({
    source: ref,
    lines,
    quote: excerpt,
    revision,
  }))
  return { answer: found.content.summary, citations, grounding, engine: found.engine }
}

async function documentsOf(
  { question, sources, context }: NlmQuery,
  guard: GuardedFetch,
  signal: AbortSignal,
): Promise<IndexDocument[]> {
  const payload: ResearchPayload = { query: question, sources }
  const snapshot = context ? await fetchSnapshot(guard, context.memory_snapshot_url, signal) : null
  return documentsFor(payload, snapshot ?? { sources: [], fragments: [] }, guard, signal)
}

function addressFaults({ sources, context }: NlmQuery, guard: GuardedFetch): FieldFault[] {
  const named = sources.flatMap((source, n) =>
    'url' in source && source.url !== undefined ? [{ field: `sources.${n}.url`, url: source.url }] : [],
  )
  const snapshot = context ? [{ field: 'context.memory_snapshot_url', url: context.memory_snapshot_url }] : []
  return [...snapshot, ...named].flatMap(({ field, url }): FieldFault[] => {
    const no = guard.refusal(url)
    if (no) return [{ field, message: no, refused: { origin: originOf(url), reason: 'origin' } }]
    const undigested = field.startsWith('context') && !digestOf(url)
    return undigested ? [{ field, message: 'must end in the digest of the snapshot' }] : []
  })
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof TimedOut)
    return { code: 'UPSTREAM_UNAVAILABLE', message: 'The question took longer than its limit.' }
  if (!(error instanceof WorkFailed)) throw error
  const { code, message, refused } = error
  if (code !== 'VALIDATION_ERROR') return { code: 'UPSTREAM_UNAVAILABLE', message }
  return { code: 'VALIDATION_FAILED', message, details: [{ field: 'sources', message, refused }] }
}

const invalid = (details: FieldFault[]) =>
  refuse({ code: 'VALIDATION_FAILED', message: 'The question cannot be answered as it is.', details })

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
