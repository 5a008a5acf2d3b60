import canonicalize from 'canonicalize'
import {
  ARTIFACT_BYTES,
  ARTIFACT_OF_JOB,
  ARTIFACTS,
  type ArtifactDocument,
  type ArtifactSubmission,
  type ReadableText,
} from '#contracts/artifact.contract.ts'
import type { JobType } from '#domain/job/job.rules.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { faultOf } from '#server/jobs/storable-payload.ts'
import { casKey, sha256Hex } from '#server/ports/object-store.ts'
import type { GroundedSubmission } from './ground-submission.ts'

/** An artifact ready to be stored: its bytes under their content address, and what the ledger's row says of it. */
export type PreparedArtifact = {
  artifact_id: string
  type: string
  title: string
  bytes: Uint8Array
  sha256: string
  object_key: string
  engine: unknown
  grounding: unknown
  source_paths: string[]
  tags: string[]
  entity_refs: string[]
}

export type ArtifactOwner = {
  job_id: string
  job_type: JobType
  run_id: string | null
  agent_slug: string
  reserved_artifact_id: string
}

/**
 * Checks a submission against the type of its job and makes the document: canonical JSON without times, so that every attempt of one
 * work yields the same bytes. Refuses 422 for a structure that does not fit and 413 above 1 MiB ([artifacts#the-document]).
 */
export function prepareArtifact(
  job: ArtifactOwner,
  submission: GroundedSubmission,
): Result<PreparedArtifact> {
  const fault = structureFault(job, submission)
  if (fault)
    return refuse({
      code: 'VALIDATION_FAILED',
      message: fault.message,
      details: [fault],
    })
  const bytes = Buffer.from(canonicalize(documentOf(job, submission)) ?? '')
  if (bytes.byteLength > ARTIFACT_BYTES) {
    return refuse({
      code: 'PAYLOAD_TOO_LARGE',
      message: 'The artifact is larger than 1 MiB.',
      details: { limit: ARTIFACT_BYTES },
    })
  }
  const sha256 = sha256Hex(bytes)
  const { type, engine, grounding, tags, entity_refs, content, sources } = submission
  return ok({
    artifact_id: job.reserved_artifact_id,
    type,
    title: typeof content.title === 'string' ? content.title : type,
    bytes,
    sha256,
    object_key: casKey(sha256),
    engine,
    grounding,
    tags,
    entity_refs,
    source_paths: [...new Set(sources.map((s) => s.ref))],
  })
}

function documentOf(job: ArtifactOwner, s: GroundedSubmission): ArtifactDocument {
  return {
    schema: 'artifact/1',
    artifact_id: job.reserved_artifact_id,
    job_id: job.job_id,
    run_id: job.run_id,
    agent_slug: job.agent_slug,
    type: s.type,
    version: 1,
    content: s.content,
    sources: s.sources,
    entity_refs: s.entity_refs,
    tags: s.tags,
    grounding: s.grounding,
    ...(s.marks ? { marks: s.marks } : {}),
    engine: s.engine,
  }
}

type Fault = { field: string; message: string }

function structureFault(job: ArtifactOwner, submission: ArtifactSubmission): Fault | null {
  const expected = ARTIFACT_OF_JOB[job.job_type]
  if (submission.type !== expected)
    return { field: 'type', message: `a ${job.job_type} job makes a ${expected}` }
  const stored = faultOf(submission)
  if (stored) return { field: 'content', message: `the artifact ${stored}` }
  const { content, readable } = ARTIFACTS[expected]
  const parsed = content.safeParse(submission.content)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    return {
      field: ['content', ...(issue?.path ?? [])].join('.'),
      message: issue?.message ?? 'does not fit its type',
    }
  }
  return readable ? unknownReference(readable(parsed.data), submission) : null
}

/** A section may name only refs that the artifact's sources hold. */
function unknownReference({ sections }: ReadableText, { sources }: ArtifactSubmission): Fault | null {
  const known = new Set(sources.map((s) => s.ref))
  const n = sections.findIndex((section) => section.sources.some((ref) => !known.has(ref)))
  return n < 0
    ? null
    : { field: `content.sections.${n}.sources`, message: 'names a source that is not cited' }
}
