/**
 * One job from its claim to the moment this worker is done with it: assemble → call → (write → commit).
 *
 * Each step ends in one guarded transition under the fence of the claim; what many jobs do at the same time shares commits, so that a busy
 * worker commits less often. A transition of no rows means that the lease was lost: the pipeline records that and stops. A phase that throws
 * or runs over its limit ends by J6, J8 or J11. Nothing is kept in memory that the ledger does not know: a killed process loses time, never
 * work.
 */
import type { Logger } from 'pino'
import type { JobEvent } from '#domain/job/job.machine.ts'
import { PHASE_LIMIT_SECONDS } from '#domain/job/job.rules.ts'
import { type PreparedArtifact, prepareArtifact } from '#server/artifacts/artifact-document.ts'
import { type Answer, commitAnswers, failWrite } from '#server/artifacts/write-artifact.ts'
import { microBatcher } from '#server/concurrency/micro-batcher.ts'
import { TimedOut, withTimeout } from '#server/concurrency/with-timeout.ts'
import type { JobContext } from '#server/contexts/job-context.ts'
import { handleCallOutcome, type ReadyContext, readyContexts } from '#server/jobs/backend-call.ts'
import type { LeasedJob } from '#server/jobs/job-row.ts'
import { recordRefusedWrite } from '#server/jobs/record-refused-write.ts'
import { backOffJob } from '#server/jobs/retry.ts'
import { issueWriteToken } from '#server/jobs/write-token.ts'
import { measureOutcome } from '#server/metrics/meter.ts'
import type { Services } from '#server/services.ts'
import type { Called, JobPhases } from './job-phases.ts'
import type { Handlers } from './registry.ts'

type Parts = Pick<Services, 'db'> & {
  env: Pick<Services['env'], 'BLOOM_JOB_TOKEN_KEY'>
  log: Pick<Logger, 'warn'>
}
export type Pipeline = (job: LeasedJob) => Promise<void>

/** The work of a phase under the phase's limit. */
const limited = <T>(phase: keyof typeof PHASE_LIMIT_SECONDS, work: (signal: AbortSignal) => Promise<T>) =>
  withTimeout({ ms: PHASE_LIMIT_SECONDS[phase] * 1000 }, work)

/** Builds the pipeline of this worker; the function it returns never throws for what a phase does. */
export function createPipeline(parts: Parts, handlers: Handlers): Pipeline {
  const ready = microBatcher<ReadyContext, boolean>((items) => readyContexts(parts.db, items))
  const commit = microBatcher<Answer, boolean>((items) => commitAnswers(parts, items))

  const refused = (job: LeasedJob, event: JobEvent) => recordRefusedWrite(parts.db, job, event)

  async function assemble(job: LeasedJob, phases: JobPhases): Promise<JobContext | null> {
    try {
      return await limited('CONTEXT_ASSEMBLY', (signal) => phases.assemble(job, signal))
    } catch (error) {
      const message =
        error instanceof TimedOut
          ? `The context was not ready within ${PHASE_LIMIT_SECONDS.CONTEXT_ASSEMBLY} s.`
          : why(error)
      const moved = await backOffJob(parts, 'context_timeout', job, { code: 'CONTEXT_TIMEOUT', message })
      if (!moved) await refused(job, 'context_timeout')
      return null
    }
  }

  async function call(job: LeasedJob, context: JobContext, token: string, phases: JobPhases) {
    const asked = limited('NOTEBOOKLM_CALL', (signal) => phases.call(job, context, token, signal))
    const outcome: Called = await asked.catch(
      (error) => ({ kind: 'busy', code: 'NLM_UNAVAILABLE', message: why(error) }) as const,
    )
    if (outcome.kind === 'accepted') return null
    if (outcome.kind === 'answered') {
      const prepared = prepareArtifact(job, outcome.submission)
      if (prepared.ok) return prepared.value
      await backOffJob(parts, 'nlm_busy', job, { code: 'STRUCTURE_ERROR', message: prepared.refusal.message })
      return null
    }
    const moved = await handleCallOutcome(parts, job, outcome)
    if (!moved) await refused(job, outcome.kind === 'fatal' ? 'fatal' : 'nlm_busy')
    return null
  }

  async function write(job: LeasedJob, artifact: PreparedArtifact, phases: JobPhases): Promise<boolean> {
    try {
      await limited('ARTIFACT_WRITE', (signal) => phases.write(artifact, signal))
    } catch (error) {
      if (!(await failWrite(parts, job, why(error)))) await refused(job, 'write_error')
      return false
    }
    const { job_id, fence } = job
    const row = { ...artifact, bytes: artifact.bytes.byteLength }
    const committed = await commit({ job_id, fence, artifact: row })
    if (!committed) await refused(job, 'nlm_answered')
    return committed
  }

  return async (job) => {
    const phases = handlers[job.job_type]
    if (!phases) return
    const context = await assemble(job, phases)
    if (!context) return
    const { job_id, fence } = job
    const { token, hash } = await issueWriteToken(parts.env.BLOOM_JOB_TOKEN_KEY, job, job.claimed_at)
    const moved = await ready({
      job_id,
      fence,
      context_key: context.key,
      context_sha256: context.sha256,
      write_token_hash: hash,
    })
    if (!moved) return refused(job, 'context_ready')
    const artifact = await call(job, context, token, phases)
    if (!artifact) return
    await measureOutcome('garden_artifact_write_seconds', Boolean, () => write(job, artifact, phases))
  }
}

const why = (error: unknown): string => (error instanceof Error ? error.message : String(error))
