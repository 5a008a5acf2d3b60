import type {
  NlmErrorCode,
  NlmJobView,
  ProcessRequest,
  RefusedAddress,
  ResearchArtifactSubmission,
  ResearchPayload,
} from '#contracts/research.contract.ts'
import { decide } from '#domain/kernel/machine.ts'
import { type NlmWorkEvent, type NlmWorkState, nlmWorkMachine } from '#domain/nlm/nlm-work.machine.ts'

/** One job in this process's memory. `execution` grows whenever the work starts again; code that runs under an older number must stop. */
export type Work = {
  readonly jobId: string
  readonly payloadDigest: string
  readonly payload: ResearchPayload
  request: Pick<ProcessRequest, 'context' | 'callback' | 'write_token'>
  state: NlmWorkState
  execution: number
  stop: AbortController
  phaseMs: Record<string, number>
  phaseSince: number
  submission?: ResearchArtifactSubmission
  artifact?: { artifact_id: string; artifact_url: string }
  error?: { code: NlmErrorCode | 'CANCELLED'; message: string; refused?: RefusedAddress[] }
  /** The address of the callback, when a rule forbade to reach it. */
  refused?: RefusedAddress[]
  settledAt?: number
}

/** Thrown in an execution that was cancelled or started again meanwhile; it ends that execution silently. */
export class Superseded extends Error {}

/**
 * Why work ended without an artifact; `silent` failures send no callback, because the attempt they belong to is over. `refused` is the address
 * that a rule forbade to reach, for the audit of whoever asks.
 */
export class WorkFailed extends Error {
  readonly code: NlmErrorCode
  readonly silent: boolean
  readonly refused: RefusedAddress | undefined
  constructor(
    code: NlmErrorCode,
    message: string,
    { silent = false, refused }: { silent?: boolean; refused?: RefusedAddress } = {},
  ) {
    super(message)
    this.name = 'WorkFailed'
    this.code = code
    this.silent = silent
    this.refused = refused
  }
}

/** A phase that has ended and how long it took. */
export type EndedPhase = { phase: NlmWorkState; ms: number }

/** Makes a transition of the machine and records the time of the phase that ends; throws when the table has no such edge. */
export function advance(work: Work, event: NlmWorkEvent, now: number): EndedPhase {
  const decision = decide(nlmWorkMachine, work.state, event)
  if (!decision.ok) throw new Error(`nlm_work: ${event} may not happen in ${work.state}`)
  const ended = { phase: work.state, ms: Math.max(0, Math.round(now - work.phaseSince)) }
  work.phaseMs[work.state] = (work.phaseMs[work.state] ?? 0) + ended.ms
  work.state = decision.to
  work.phaseSince = now
  return ended
}

/** Throws Superseded unless this execution is still the one that counts. */
export function assertCurrent(work: Work, execution: number): void {
  if (work.execution !== execution) throw new Superseded()
}

export function viewOf(work: Work): NlmJobView {
  return {
    job_id: work.jobId,
    state: work.state,
    phase_ms: { ...work.phaseMs },
    ...work.artifact,
    ...(work.error ? { error: work.error } : {}),
    ...(work.refused ? { refused: work.refused } : {}),
  }
}
