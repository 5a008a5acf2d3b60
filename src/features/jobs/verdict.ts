import type { JobDetail } from '#contracts/job.contract.ts'
import { type JobEvent, jobMachine } from '#domain/job/job.machine.ts'
import {
  FAILURE_KIND_OF,
  type FailureKind,
  type JobErrorCode,
  REPLAYABLE_STATES,
} from '#domain/job/job.rules.ts'

/** Why a job has failed, as the page says it, and the one command that helps. */
export type Verdict = {
  kind: FailureKind
  dead: boolean
  /** The attempts since the last requeue, and whether all of them ended with the same error. */
  attempts: number
  alike: boolean
  /** The person who ended it, and the reason given. */
  by: { actor: string; reason: string | null } | null
  help: 'requeue' | 'again' | 'agent'
}

const DEAD = jobMachine.events.bury.to
const NO_AGENT: JobErrorCode = 'AGENT_NOT_ACTIVE'
const BY_PERSON = ['cancel', 'operator_fail'] as const satisfies readonly JobEvent[]

/** Null for a job that has not failed. */
export function verdictOf(job: JobDetail): Verdict | null {
  if (job.failure_kind === null || !job.actions.includes('requeue')) return null
  const last = Math.max(0, ...job.attempts.map(({ round }) => round))
  const attempts = job.attempts.filter(({ round }) => round === last)
  const ended = job.history.findLast(({ transition }) => BY_PERSON.some((one) => one === transition))
  const isByPerson = BY_PERSON.some((event) => FAILURE_KIND_OF[event] === job.failure_kind)
  return {
    kind: job.failure_kind,
    dead: job.status === DEAD,
    attempts: attempts.length,
    alike: new Set(attempts.map(({ error }) => error?.code)).size <= 1,
    by: isByPerson && ended ? { actor: ended.actor, reason: ended.reason } : null,
    help: helpOf(job),
  }
}

/** A requeue repeats what was asked: where that itself was refused, something has to change first. */
function helpOf(job: JobDetail): Verdict['help'] {
  if (job.error?.code === NO_AGENT) return 'agent'
  return job.failure_kind === FAILURE_KIND_OF.fatal && canRequestAgain(job) ? 'again' : 'requeue'
}

/** The question of a payload that holds nothing else, which the form has fields for; null otherwise. */
export function questionAlone(payload: JobDetail['payload']): string | null {
  const { query, ...rest } = payload
  return typeof query === 'string' && Object.keys(rest).length === 0 ? query : null
}

/** Where the question itself was refused. A job of a run is that run's to repeat; others are requeued, or replayed. */
export const canRequestAgain = ({ run_id, failure_kind, payload }: JobDetail): boolean =>
  run_id === null && failure_kind === FAILURE_KIND_OF.fatal && questionAlone(payload) !== null

/** Its work can be done once more, by another job. */
export const canReplay = ({ status }: Pick<JobDetail, 'status'>): boolean =>
  REPLAYABLE_STATES.some((one) => one === status)
