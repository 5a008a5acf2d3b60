import type { ArtifactSubmission } from '#contracts/artifact.contract.ts'
import type { CallOutcome } from '#domain/job/nlm-outcome.rules.ts'
import type { PreparedArtifact } from '#server/artifacts/artifact-document.ts'
import type { JobContext } from '#server/contexts/job-context.ts'
import type { LeasedJob } from '#server/jobs/job-row.ts'

/** The result of a call: an outcome of the backend, or, from phases that answer at once, the artifact itself. */
export type Called = CallOutcome | { kind: 'answered'; submission: ArtifactSubmission }

/**
 * The three phases of a job as the pipeline calls them; everything else (states, fences, limits) is the pipeline's. A phase may throw:
 * the attempt then ends as its state demands. Tests, chaos and bench bring phases of their own.
 */
export type JobPhases = {
  /** Stores the snapshot. */
  assemble(job: LeasedJob, signal: AbortSignal): Promise<JobContext>
  /** Calls the backend. `accepted` means that the artifact comes by `POST /artifacts`. */
  call(job: LeasedJob, context: JobContext, writeToken: string, signal: AbortSignal): Promise<Called>
  /** Puts the object under its content address. */
  write(artifact: PreparedArtifact, signal: AbortSignal): Promise<void>
}
