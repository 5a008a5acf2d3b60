/** Jobs in a wanted state, brought there by the operations of their room, one at a time: nobody else works on this ledger. */
import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { ORCHESTRATION_LAYER } from '#domain/authority/caller.ts'
import type { JobErrorCode } from '#domain/job/job.rules.ts'
import { prepareArtifact } from '#server/artifacts/artifact-document.ts'
import { commitAnswers, failWrite } from '#server/artifacts/write-artifact.ts'
import { readyContexts } from '#server/jobs/backend-call.ts'
import { AT_FENCE, type LeasedJob } from '#server/jobs/job-row.ts'
import { claimJobs } from '#server/jobs/queue.ts'
import { backOffJob, releaseJobs } from '#server/jobs/retry.ts'
import { submitJob } from '#server/jobs/submit-job.ts'
import { transition } from '#server/ledger/transition.ts'
import { gardenAt } from '#server/retrieval/garden-index.ts'
import { research } from '#server/retrieval/research-engine.ts'
import { type Ground, given, OWNER } from './ground.ts'

const HOLDER = 'seed'

/** A job that waits; its id. */
export async function addJob(
  ground: Ground,
  agent: string,
  query: string,
  maxAttempts?: number,
): Promise<string> {
  const job = {
    job_type: 'RESEARCH' as const,
    agent_slug: agent,
    payload: { query },
    ...(maxAttempts ? { max_attempts: maxAttempts } : {}),
  }
  return given(await ground.database.transaction((tx) => submitJob(tx, job, OWNER))).job_id
}

/** Takes this job, the only one that waits for its agent. */
export async function hold(ground: Ground, id: string): Promise<LeasedJob> {
  const leased = (await claimJobs(ground, { holder: HOLDER, limit: 1_000 })).find((job) => job.job_id === id)
  if (!leased) throw new Error(`the job ${id} was not to be had`)
  return leased
}

/** Brings a leased job to the call of the backend. */
export async function call(ground: Ground, job: LeasedJob): Promise<LeasedJob> {
  const context = {
    context_key: `contexts/${job.job_id}.json`,
    context_sha256: '',
    write_token_hash: randomUUID(),
  }
  await readyContexts(ground.db, [{ job_id: job.job_id, fence: job.fence, ...context }])
  return job
}

/** Brings a called job to where its answer is being written. */
export async function write(ground: Ground, job: LeasedJob): Promise<void> {
  await transition(ground.db, {
    machine: 'job',
    event: 'nlm_answered',
    actor: ORCHESTRATION_LAYER,
    where: sql`o.job_id = ${job.job_id} AND o.fence = ${job.fence}`,
    details: AT_FENCE,
  })
}

/** Answers a called job from the garden, with an artifact. */
export async function answer(ground: Ground, job: LeasedJob): Promise<void> {
  const index = await (await gardenAt(ground.garden)).index()
  const { content, sources, engine } = research(index, { query: String(job.payload.query) })
  const claims = { status: 'grounded' as const, claims: sources.length, grounded_claims: sources.length }
  const prepared = given(
    prepareArtifact(job, {
      job_id: job.job_id,
      type: 'RESEARCH_BRIEF',
      content,
      sources,
      entity_refs: [],
      tags: [],
      grounding: claims,
      engine,
    }),
  )
  await ground.store.create(prepared.object_key, prepared.bytes)
  const artifact = { ...prepared, bytes: prepared.bytes.byteLength }
  await commitAnswers(ground, [{ job_id: job.job_id, fence: job.fence, artifact }])
}

type Failing = (ground: Ground, job: LeasedJob, message: string) => Promise<unknown>

const busy =
  (code: JobErrorCode): Failing =>
  async (ground, job, message) =>
    backOffJob(ground, 'nlm_busy', await call(ground, job), { code, message })

/** Failures that a repeat may mend, and how a leased job meets them. */
const REPEATABLE = {
  CONTEXT_TIMEOUT: (ground, job, message) =>
    backOffJob(ground, 'context_timeout', job, { code: 'CONTEXT_TIMEOUT', message }),
  RATE_LIMIT: busy('RATE_LIMIT'),
  NLM_UNAVAILABLE: busy('NLM_UNAVAILABLE'),
  NLM_TIMEOUT: busy('NLM_TIMEOUT'),
  STORAGE_ERROR: async (ground, job, message) => failWrite(ground, await call(ground, job), message),
} satisfies Partial<Record<JobErrorCode, Failing>>

export type RepeatableCode = keyof typeof REPEATABLE
export const REPEATABLE_CODES = Object.keys(REPEATABLE) as RepeatableCode[]

/** Lets a leased job fail with this code; it backs off, or has ended after its last attempt. */
export const fail = (ground: Ground, job: LeasedJob, code: RepeatableCode): Promise<unknown> =>
  REPEATABLE[code](ground, job, `Told by the scenario: ${code.toLowerCase().replaceAll('_', ' ')}.`)

/** A job that failed with this code until it had no try left. */
export async function exhaust(ground: Ground, agent: string, code: RepeatableCode): Promise<void> {
  const id = await addJob(ground, agent, `What does the garden say when it meets ${code}?`, 1)
  await fail(ground, await hold(ground, id), code)
  await ground.db.query(sql`UPDATE job SET not_before = clock_timestamp() WHERE job_id = ${id}`)
  await releaseJobs(ground.db)
  await fail(ground, await hold(ground, id), code)
}
