/**
 * What stands behind the tools of step 02. Reads answer from the revision that step 01 pinned, so that a replay sees the same
 * garden. `notebooklm-query` is a RESEARCH Job: its id follows from the run and the call, it is made in one transaction with
 * the journal's line (page 11, J8), and until it has ended the call throws WaitingForJob.
 */
import sql from 'sql-template-tag'
import type { ContextSnapshot } from '#contracts/research.contract.ts'
import type { JobState } from '#domain/job/job.machine.ts'
import { gardenAt } from '#server/notes/garden-index.ts'
import {
  type ToolCall,
  ToolFailure,
  type ToolHandlers,
  type ToolInput,
  WaitingForJob,
} from '#server/ports/agent-executor.ts'
import { getVerified } from '#server/ports/object-store.ts'
import { search } from '#server/retrieval/search-index.ts'
import { ENDED_WELL, RESTED_JOB_STATES } from './job-states.ts'
import { noteJob } from './journal.ts'
import { parseObject } from './project-run.ts'
import { jobIdOfCall } from './run-ids.ts'
import type { Held, RunParts } from './run-parts.ts'
import type { RunRow } from './run-row.ts'

export type Pinned = { revision: string; context: ContextSnapshot }

export function toolHandlers(parts: RunParts, held: Held, run: RunRow, pinned: Pinned): ToolHandlers {
  return {
    'read-context': async () => pinned.context,
    'read-notes': (input) => readNotes(parts, pinned.revision, input),
    'search-notes': (input) => searchNotes(parts, pinned.revision, input),
    'notebooklm-query': (input, call) => research(parts, held, run, input, call),
  }
}

async function readNotes(parts: RunParts, revision: string, input: ToolInput<'read-notes'>) {
  const { notes, byPath } = await gardenAt(parts.garden, revision)
  const wanted = input.paths ? input.paths.flatMap((p) => byPath.get(p) ?? []) : notes
  return { revision, notes: wanted.map((n) => ({ path: n.path, revision, text: n.text })) }
}

async function searchNotes(parts: RunParts, revision: string, input: ToolInput<'search-notes'>) {
  const { index } = await gardenAt(parts.garden, revision)
  const results = search(index, input.query, Math.min(50, input.top_k)).map((hit) => ({
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
  held: Held,
  run: RunRow,
  input: ToolInput<'notebooklm-query'>,
  call: ToolCall,
) {
  const jobId = jobIdOfCall(run.run_id, call.index)
  const job = (await readJob(parts, jobId)) ?? (await askForJob(parts, held, run, input, call, jobId))
  if (job.status === ENDED_WELL && job.artifact_id) return readBrief(parts, jobId, job.artifact_id)
  if (RESTED_JOB_STATES.includes(job.status)) {
    throw new ToolFailure(
      'NLM_UNAVAILABLE',
      `The Job ${jobId} ended ${job.status}${job.why ? `: ${job.why}` : ''}.`,
    )
  }
  throw new WaitingForJob(jobId)
}

type JobRow = { status: JobState; artifact_id: string | null; why: string | null }

async function readJob({ db }: Pick<RunParts, 'db'>, jobId: string): Promise<JobRow | null> {
  const { rows } = await db.query<JobRow>(
    sql`SELECT status, artifact_id, coalesce(error ->> 'message', failure_kind) AS why FROM job WHERE job_id = ${jobId}`,
  )
  return rows[0] ?? null
}

async function askForJob(
  parts: RunParts,
  held: Held,
  run: RunRow,
  input: ToolInput<'notebooklm-query'>,
  call: ToolCall,
  jobId: string,
): Promise<JobRow> {
  const { question, sources, max_sections, language } = input
  const constraints = {
    ...(max_sections === undefined ? {} : { max_sections }),
    ...(language === undefined ? {} : { language }),
  }
  await parts.database.transaction(async (tx) => {
    await noteJob(tx, held, call, jobId)
    await parts.doors.submitJob(tx, {
      jobId,
      runId: run.run_id,
      agentSlug: run.agent_slug,
      priority: run.priority,
      correlationId: run.correlation_id,
      payload: { query: question, ...(sources ? { sources } : {}), constraints },
    })
  })
  await parts.failpoint?.('job-submitted')
  parts.hints.hint('jobs')
  const job = await readJob(parts, jobId)
  if (!job) throw new Error(`the job ${jobId} is not there after its commit`)
  return job
}

/** The artifact's document, verified by its digest. */
async function readBrief(parts: RunParts, jobId: string, artifactId: string) {
  const { rows } = await parts.db.query<{ object_key: string; content_sha256: string }>(
    sql`SELECT object_key, content_sha256 FROM artifact WHERE artifact_id = ${artifactId}`,
  )
  const row = rows[0]
  const bytes = row ? await getVerified(parts.store, row.object_key, row.content_sha256) : null
  if (!bytes) throw new Error(`the document of ${artifactId} is not in the store`)
  const { content, sources, grounding } = parseObject(bytes)
  return { job_id: jobId, artifact_id: artifactId, content, sources, grounding }
}
