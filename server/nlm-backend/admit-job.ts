import {
  type ProcessRequest,
  processRequest,
  RESEARCH_LIMITS,
  type RefusedAddress,
  type ResearchPayload,
  researchPayload,
} from '#contracts/research.contract.ts'
import { JOB_TYPES, type JobType } from '#domain/job/job.rules.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { type GuardedFetch, originOf } from '#server/outbound/guarded-fetch.ts'
import { EXTRACTIVE_ENGINE } from '#server/retrieval/research-engine.ts'
import { digestOf } from './fetch-context.ts'
import type { NlmEnv } from './nlm-env.ts'

/** A fault of one field, as 422 names it; `refused` where it is an address that a rule forbids to reach. */
export type FieldFault = { field: string; message: string; refused?: RefusedAddress }
export type AdmittedJob = { request: ProcessRequest; payload: ResearchPayload }

/** Whether this backend does a job of the type; a new type has to be answered for here. */
const SERVES: Record<JobType, boolean> = { RESEARCH: true, BRIEF: false, PROPOSAL_PREPROCESS: false }
const SERVED_JOBS = JOB_TYPES.filter((type) => SERVES[type])

/** Checks a body of `POST /jobs/process` ([nlm-backend#endpoints]): its frame (400), then payload and addresses (422). */
export function admitJob(body: string, env: NlmEnv, guard: GuardedFetch): Result<AdmittedJob> {
  const raw = parse(body)
  if (raw === undefined) return refuse({ code: 'INVALID_JSON', message: 'The body is not JSON.' })
  const frame = processRequest.safeParse(raw)
  if (!frame.success) {
    const details = frame.error.issues.map((i) => ({ field: i.path.join('.'), message: i.message }))
    return refuse({ code: 'BAD_REQUEST', message: 'The body does not have the fields of a job.', details })
  }
  const request = frame.data
  if (!SERVED_JOBS.some((type) => type === request.job_type))
    return invalid([{ field: 'job_type', message: `only ${SERVED_JOBS.join(', ')} is served` }])
  const payload = researchPayload.safeParse(request.payload)
  if (!payload.success) {
    return invalid(
      payload.error.issues.map((i) => ({ field: ['payload', ...i.path].join('.'), message: i.message })),
    )
  }
  const faults = [...addressFaults(request, payload.data, env, guard), ...engineFaults(payload.data)]
  return faults.length > 0 ? invalid(faults) : ok({ request, payload: payload.data })
}

const invalid = (details: FieldFault[]) =>
  refuse({
    code: 'VALIDATION_FAILED',
    message: 'The job cannot be done as it is.',
    details: details.slice(0, 50),
  })

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

function addressFaults(
  request: ProcessRequest,
  payload: ResearchPayload,
  env: NlmEnv,
  guard: GuardedFetch,
): FieldFault[] {
  const faults: FieldFault[] = []
  const check = (field: string, url: string, more: string | null = null) => {
    const no = guard.refusal(url) ?? more
    if (no) faults.push({ field, message: no, refused: { origin: originOf(url), reason: 'origin' } })
  }
  const snapshot = request.context.memory_snapshot_url
  check('context.memory_snapshot_url', snapshot)
  if (!digestOf(snapshot))
    faults.push({ field: 'context.memory_snapshot_url', message: 'must end in the digest of the snapshot' })
  // The callback token goes to the configured origin alone.
  const elsewhere = originOf(request.callback) !== env.NLM_CALLBACK_ORIGIN
  check('callback', request.callback, elsewhere ? 'is not at the configured origin' : null)
  for (const [i, { url }] of (payload.sources ?? []).entries())
    if (url !== undefined) check(`payload.sources.${i}.url`, url)
  return faults
}

function engineFaults({ constraints }: ResearchPayload): FieldFault[] {
  const engine = constraints?.engine
  const known = engine === undefined || engine === EXTRACTIVE_ENGINE.id
  return known ? [] : [{ field: 'payload.constraints.engine', message: 'is not configured here' }]
}

/** Largest body in bytes. */
export const BODY_LIMIT = RESEARCH_LIMITS.bodyBytes
