import { type JobState, jobMachine } from '#domain/job/job.machine.ts'

/** States in which a Job has no more to give a run that waits for it: it ended, well or not. A requeue makes it go on without the run. */
export const ENDED_WELL: JobState = jobMachine.events.commit.to
export const RESTED_JOB_STATES: readonly JobState[] = [
  ENDED_WELL,
  jobMachine.events.exhausted.to,
  jobMachine.events.bury.to,
]
