import { ARTIFACT_OF_JOB } from '#contracts/artifact.contract.ts'
import { type ResearchPayload, researchArtifactSubmission } from '#contracts/research.contract.ts'
import { NLM_OVERRUN_CODE, NLM_PHASE_LIMIT_SECONDS } from '#domain/nlm/nlm-work.machine.ts'
import { TimedOut, withTimeout } from '#server/concurrency/with-timeout.ts'
import type { GuardedFetch } from '#server/outbound/guarded-fetch.ts'
import { checkGrounding } from '#server/retrieval/check-grounding.ts'
import type { IndexDocument } from '#server/retrieval/document-lines.ts'
import { type ResearchAnswer, research } from '#server/retrieval/research-engine.ts'
import { buildIndexInSlices, type SearchIndex } from '#server/retrieval/search-index.ts'
import { documentsFor, fetchSnapshot } from './fetch-context.ts'
import { advance, assertCurrent, type EndedPhase, type Work, WorkFailed } from './work.ts'

type LimitedPhase = keyof typeof NLM_PHASE_LIMIT_SECONDS
export type ExecutionTools = {
  guard: GuardedFetch
  now: () => number
  /** Told of each phase that ends. */
  observe: (event: { kind: 'phase'; jobId: string } & EndedPhase) => void
  limitMs?: Partial<Record<LimitedPhase, number>>
}

/** Runs a phase under its time limit and the work's own stop signal; an overrun ends it with the phase's error code. */
async function limited<T>(
  tools: ExecutionTools,
  work: Work,
  phase: LimitedPhase,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ms = tools.limitMs?.[phase] ?? NLM_PHASE_LIMIT_SECONDS[phase] * 1000
  const execution = work.execution
  try {
    return await withTimeout({ ms, signal: work.stop.signal }, run)
  } catch (error) {
    assertCurrent(work, execution)
    if (error instanceof TimedOut)
      throw new WorkFailed(NLM_OVERRUN_CODE[phase], `${phase} took longer than its limit`)
    throw error
  }
}

/** From ACCEPTED to the finished submission, phase by phase; throws WorkFailed or Superseded. */
export async function executeWork(tools: ExecutionTools, work: Work): Promise<void> {
  const { payload, execution } = work
  const step = (event: Parameters<typeof advance>[1]) => {
    assertCurrent(work, execution)
    tools.observe({ kind: 'phase', jobId: work.jobId, ...advance(work, event, tools.now()) })
  }
  step('fetch_context')
  const documents = await limited(tools, work, 'FETCHING_CONTEXT', async (signal) => {
    const snapshot = await fetchSnapshot(tools.guard, work.request.context.memory_snapshot_url, signal)
    return documentsFor(payload, snapshot, tools.guard, signal)
  })
  // The extractive engine has no prompt: the question and the marked texts are what its index is built of.
  step('build_prompt')
  const question = { query: payload.query, ...limitsOf(payload) }
  step('ask')
  const answer = await limited(tools, work, 'NLM_QUERY', async (signal) => {
    const index: SearchIndex = await buildIndexInSlices(documents, signal)
    return research(index, question)
  })
  step('structure')
  work.submission = await limited(tools, work, 'STRUCTURING', async () => structured(work, answer, documents))
  step('deliver')
}

function limitsOf({ constraints }: ResearchPayload) {
  return {
    ...(constraints?.language ? { language: constraints.language } : {}),
    ...(constraints?.max_sections ? { maxSections: constraints.max_sections } : {}),
  }
}

/** Schema and citations are checked by code, whatever the engine claims ([nlm-backend#I-N4]). */
function structured(work: Work, answer: ResearchAnswer, documents: readonly IndexDocument[]) {
  const { faults, ...grounding } = checkGrounding(answer.content, answer.sources, documents)
  if (faults.length > 0) throw new WorkFailed('STRUCTURE_ERROR', faults[0] ?? 'citations do not hold')
  const parsed = researchArtifactSubmission.safeParse({
    job_id: work.jobId,
    type: ARTIFACT_OF_JOB.RESEARCH,
    content: answer.content,
    sources: answer.sources,
    entity_refs: work.request.context.entity_refs,
    tags: [],
    grounding,
    engine: answer.engine,
  })
  if (!parsed.success)
    throw new WorkFailed(
      'STRUCTURE_ERROR',
      parsed.error.issues[0]?.message ?? 'the brief does not fit its schema',
    )
  return parsed.data
}
