/**
 * The tools of step 02. Reads answer from the revision that step 01 pinned, so that a replay sees the same garden. `notebooklm-query` is a
 * RESEARCH job: its id follows from the run and the call, it is created in one transaction with the journal's line, and until it has
 * ended the call throws WaitingForWork. `llm-task` is an LLM Task (ask-model.ts), `ask-person` a question (ask-person.ts).
 */
import sql from 'sql-template-tag'
import type { ContextSnapshot } from '#contracts/research.contract.ts'
import { ORCHESTRATION_LAYER } from '#domain/authority/caller.ts'
import { JOB_COMPLETE, JOB_ENDED } from '#domain/run/run.rules.ts'
import { submitJob } from '#server/jobs/submit-job.ts'
import { authorityFault, type Subject } from '#server/ledger/authority-check.ts'
import type { Row } from '#server/ledger/rows.ts'
import { measure } from '#server/metrics/meter.ts'
import {
  MODEL_CALL,
  type ToolCall,
  ToolFailure,
  type ToolHandlers,
  type ToolInput,
  WaitingForWork,
} from '#server/ports/agent-executor.ts'
import { getVerified } from '#server/ports/object-store.ts'
import { gardenAt } from '#server/retrieval/garden-index.ts'
import { wholeNotes } from '#server/retrieval/garden-notes.ts'
import { search } from '#server/retrieval/search-index.ts'
import { agentCaller } from './agent-caller.ts'
import { askModel } from './ask-model.ts'
import { askPerson } from './ask-person.ts'
import { recordWait } from './journal.ts'
import { parseObject } from './project-run.ts'
import { jobIdOfCall } from './run-ids.ts'
import { type Fenced, RunFault, type RunParts } from './run-parts.ts'
import type { RunRow } from './run-row.ts'

export type Pinned = { revision: string; context: ContextSnapshot }

export function toolHandlers(parts: RunParts, lease: Fenced, run: RunRow, pinned: Pinned): ToolHandlers {
  const { context, revision } = pinned
  const notes = () => requireOwn(parts, run, 'note', {})
  return {
    'read-context': async () => {
      await requireOwn(parts, run, 'context', { own: context.agent_slug === run.agent_slug })
      return context
    },
    'read-notes': async (input) => {
      await notes()
      return readNotes(parts, revision, input)
    },
    'search-notes': async (input) => {
      await notes()
      return searchNotes(parts, revision, input)
    },
    'notebooklm-query': (input, call) => research(parts, lease, run, input, call),
    [MODEL_CALL]: (input, call) => askModel(parts, lease, run, { input, call }),
    'ask-person': (input, call) => askPerson(parts, lease, run, { input, call }),
  }
}

/** Asks the matrix of components as the agent of the run: what a tool reads for it is all that it may read, and its own [auth#components]. */
async function requireOwn(
  { db }: Pick<RunParts, 'db'>,
  run: RunRow,
  resource: 'note' | 'context' | 'artifact',
  subject: Subject,
): Promise<void> {
  const fault = await authorityFault(db, agentCaller(run.agent_slug), resource, 'read', subject)
  if (fault) throw new ToolFailure('TOOL_DENIED', fault.message)
}

/** The whole of notes that are named; of all notes together what is kept of them, however large the garden is. */
async function readNotes(parts: RunParts, revision: string, input: ToolInput<'read-notes'>) {
  const { notes, byPath } = await gardenAt(parts.garden, revision)
  const named = input.paths?.flatMap((p) => byPath.get(p) ?? [])
  const wanted = named ? await wholeNotes(parts.garden, revision, named) : notes
  return { revision, notes: wanted.map((n) => ({ path: n.path, revision, text: n.text })) }
}

async function searchNotes(parts: RunParts, revision: string, input: ToolInput<'search-notes'>) {
  const { index } = await gardenAt(parts.garden, revision)
  const built = await index()
  const top = Math.min(50, input.top_k)
  const hits = measure('garden_search_seconds', {}, () => search(built, input.query, top))
  const results = hits.map((hit) => ({
    score: hit.score,
    raw_score: hit.raw,
    file: hit.ref,
    lines: hit.lines,
    excerpt: hit.excerpt,
    revision,
  }))
  return { results, index_revision: revision }
}

async function research(
  parts: RunParts,
  lease: Fenced,
  run: RunRow,
  input: ToolInput<'notebooklm-query'>,
  call: ToolCall,
) {
  const jobId = jobIdOfCall(run.run_id, call.index)
  const job = (await readJob(parts, jobId)) ?? (await requestJob(parts, lease, run, { input, call, jobId }))
  if (job.status === JOB_COMPLETE && job.artifact_id) return readBrief(parts, run, jobId, job.artifact_id)
  if (JOB_ENDED.includes(job.status)) {
    throw new ToolFailure(
      'NLM_UNAVAILABLE',
      `The job ${jobId} ended ${job.status}${job.why ? `: ${job.why}` : ''}.`,
    )
  }
  throw new WaitingForWork({ kind: 'job', id: jobId })
}

type JobRow = Row<'job', 'status' | 'artifact_id'> & { why: string | null }

async function readJob({ db }: Pick<RunParts, 'db'>, jobId: string): Promise<JobRow | null> {
  const { rows } = await db.query<JobRow>(
    sql`SELECT status, artifact_id, coalesce(error ->> 'message', failure_kind) AS why FROM job WHERE job_id = ${jobId}`,
  )
  return rows[0] ?? null
}

type Query = { input: ToolInput<'notebooklm-query'>; call: ToolCall; jobId: string }

/** Creates the job and the journal's line in one transaction. */
async function requestJob(
  parts: RunParts,
  lease: Fenced,
  run: RunRow,
  { input, call, jobId }: Query,
): Promise<JobRow> {
  const { question, sources, max_sections, language } = input
  const constraints = {
    ...(max_sections === undefined ? {} : { max_sections }),
    ...(language === undefined ? {} : { language }),
  }
  const { agent_slug, run_id, priority } = run
  await parts.db.transaction(async (tx) => {
    await recordWait(tx, lease, call, { kind: 'job', id: jobId })
    const made = await submitJob(
      tx,
      {
        job_id: jobId,
        requested_by: agentCaller(agent_slug).identity,
        job_type: 'RESEARCH',
        agent_slug,
        run_id,
        payload: { query: question, ...(sources ? { sources } : {}), constraints },
        priority,
        correlation_id: run.correlation_id ?? undefined,
      },
      ORCHESTRATION_LAYER,
    )
    if (!made.ok) throw new RunFault('OUTPUT_INVALID', `The job was refused: ${made.refusal.message}`)
  })
  await parts.failpoint?.('job-submitted')
  const job = await readJob(parts, jobId)
  if (!job) throw new Error(`the job ${jobId} is missing after its commit`)
  return job
}

/** The artifact's document, verified by its digest. */
async function readBrief(parts: RunParts, run: RunRow, jobId: string, artifactId: string) {
  const { rows } = await parts.db.query<Row<'artifact', 'object_key' | 'content_sha256' | 'run_id'>>(
    sql`SELECT object_key, content_sha256, run_id FROM artifact WHERE artifact_id = ${artifactId}`,
  )
  const row = rows[0]
  await requireOwn(parts, run, 'artifact', { id: artifactId, own: row?.run_id === run.run_id })
  const bytes = row ? await getVerified(parts.store, row.object_key, row.content_sha256) : null
  if (!bytes) throw new Error(`the document of ${artifactId} is not in the store`)
  const { content, sources, grounding } = parseObject(bytes)
  return { job_id: jobId, artifact_id: artifactId, content, sources, grounding }
}
