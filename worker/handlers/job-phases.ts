import type { ArtifactSubmission } from '#contracts/artifact.contract.ts'
import type { CallOutcome } from '#domain/job/nlm-outcome.rules.ts'
import type { PreparedArtifact } from '#server/artifacts/artifact-document.ts'
import type { JobContext } from '#server/contexts/job-context.ts'
import type { HeldJob } from '#server/jobs/held-job.ts'

/** What a call came to: an outcome of the backend, or, from phases that answer at once, the artifact itself. */
export type Called = CallOutcome | { kind: 'answered'; submission: ArtifactSubmission }

/**
 * The three phases of a job as the pipeline calls them; everything else (states, fences, limits) is the pipeline's. A phase may throw:
 * the try then ends in the way of its state. Tests, chaos and bench bring phases of their own.
 */
export type JobPhases = {
  /** CONTEXT_ASSEMBLY: stores the snapshot. */
  assemble(job: HeldJob, signal: AbortSignal): Promise<JobContext>
  /** NOTEBOOKLM_CALL: hands the work over. `accepted` means that the artifact comes by `POST /artifacts`. */
  call(job: HeldJob, context: JobContext, writeToken: string, signal: AbortSignal): Promise<Called>
  /** ARTIFACT_WRITE: puts the object under its content address. */
  write(artifact: PreparedArtifact, signal: AbortSignal): Promise<void>
}
