/**
 * One job from pick-up to the moment it leaves this worker's hands: assemble → hand over → call → (write → commit).
 *
 * Each step ends in one guarded move under the fence of the claim; what many jobs do at the same time shares commits (D33). A move that
 * does not happen means that the job is somebody else's by now: the pipeline records that and lets go. A phase that throws or runs over
 * its limit becomes J6, J8 or J11. Nothing is kept in memory that the ledger does not know: a killed process loses time, never work.
 */
import type { Logger } from 'pino'
import type { JobEvent } from '#domain/job/job.machine.ts'
import { PHASE_LIMIT_SECONDS } from '#domain/job/job.rules.ts'
import { type PreparedArtifact, prepareArtifact } from '#server/artifacts/artifact-document.ts'
import { type Answer, commitAnswers, failWrite } from '#server/artifacts/commit-answers.ts'
import type { Services } from '#server/composition/services.ts'
import { TimedOut, withTimeout } from '#server/concurrency/with-timeout.ts'
import type { JobContext } from '#server/contexts/job-context.ts'
import type { HeldJob } from '#server/jobs/held-job.ts'
import { type ReadyContext, readyContexts } from '#server/jobs/ready-contexts.ts'
import { recordRefusedWrite } from '#server/jobs/record-refused-write.ts'
import { restJob } from '#server/jobs/rest-job.ts'
import { settleCall } from '#server/jobs/settle-call.ts'
import { issueWriteToken } from '#server/jobs/write-token.ts'
import { gather } from '#server/ledger/gather.ts'
import type { Called, JobPhases } from './job-phases.ts'
import type { Handlers } from './registry.ts'

type Parts = Pick<Services, 'db' | 'database'> & {
  env: Pick<Services['env'], 'BLOOM_JOB_TOKEN_KEY'>
  log: Pick<Logger, 'warn'>
}
export type Pipeline = (job: HeldJob) => Promise<void>

/** The work of a phase under the phase's limit. */
const limited = <T>(phase: keyof typeof PHASE_LIMIT_SECONDS, work: (signal: AbortSignal) => Promise<T>) =>
  withTimeout({ ms: PHASE_LIMIT_SECONDS[phase] * 1000 }, work)

/** Builds the pipeline of this worker; the function it returns never throws for what a phase does. */
export function createPipeline(parts: Parts, handlers: Handlers): Pipeline {
  const ready = gather<ReadyContext, boolean>((items) => readyContexts(parts.db, items))
  const commit = gather<Answer, boolean>((items) => commitAnswers(parts, items))

  const refused = (job: HeldJob, event: JobEvent) => recordRefusedWrite(parts.db, job, event)

  async function assemble(job: HeldJob, phases: JobPhases): Promise<JobContext | null> {
    try {
      return await limited('CONTEXT_ASSEMBLY', (signal) => phases.assemble(job, signal))
    } catch (error) {
      const message =
        error instanceof TimedOut
          ? `the context was not ready within ${PHASE_LIMIT_SECONDS.CONTEXT_ASSEMBLY} s`
          : why(error)
      const moved = await restJob(parts, 'context_timeout', job, { code: 'CONTEXT_TIMEOUT', message })
      if (!moved) await refused(job, 'context_timeout')
      return null
    }
  }

  async function call(job: HeldJob, context: JobContext, token: string, phases: JobPhases) {
    const asked = limited('NOTEBOOKLM_CALL', (signal) => phases.call(job, context, token, signal))
    const outcome: Called = await asked.catch(
      (error) => ({ kind: 'busy', code: 'NLM_UNAVAILABLE', message: why(error) }) as const,
    )
    if (outcome.kind === 'accepted') return null
    if (outcome.kind === 'answered') {
      const prepared = prepareArtifact(job, outcome.submission)
      if (prepared.ok) return prepared.value
      await restJob(parts, 'nlm_busy', job, { code: 'STRUCTURE_ERROR', message: prepared.refusal.message })
      return null
    }
    const moved = await settleCall(parts, job, outcome)
    if (!moved) await refused(job, outcome.kind === 'fatal' ? 'fatal' : 'nlm_busy')
    return null
  }

  async function write(job: HeldJob, artifact: PreparedArtifact, phases: JobPhases): Promise<void> {
    try {
      await limited('ARTIFACT_WRITE', (signal) => phases.write(artifact, signal))
    } catch (error) {
      if (!(await failWrite(parts, job, why(error)))) await refused(job, 'write_error')
      return
    }
    const { job_id, fence } = job
    const row = { ...artifact, bytes: artifact.bytes.byteLength }
    if (!(await commit({ job_id, fence, artifact: row }))) await refused(job, 'nlm_answered')
  }

  return async (job) => {
    const phases = handlers[job.job_type]
    if (!phases) return
    const context = await assemble(job, phases)
    if (!context) return
    const { job_id, fence } = job
    const { token, hash } = await issueWriteToken(parts.env.BLOOM_JOB_TOKEN_KEY, job, job.held_at)
    const moved = await ready({
      job_id,
      fence,
      context_key: context.key,
      context_sha256: context.sha256,
      write_token_hash: hash,
    })
    if (!moved) return refused(job, 'context_ready')
    const artifact = await call(job, context, token, phases)
    if (artifact) await write(job, artifact, phases)
  }
}

const why = (error: unknown): string => (error instanceof Error ? error.message : String(error))
