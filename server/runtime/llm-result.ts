/** The artifact of a completed task: canonical JSON without times, under its content address ([artifacts#the-document]). */
import canonicalize from 'canonicalize'
import { ARTIFACT_BYTES, type ArtifactDocument, type ArtifactType } from '#contracts/artifact.contract.ts'
import type { CompletionReport } from '#contracts/task-report.contract.ts'
import { artifactId } from '#domain/kernel/ids.ts'
import { casKey, sha256Hex } from '#server/ports/object-store.ts'
import type { KnownTask } from './show-lease.ts'

export type LlmResult = {
  artifactId: string
  document: ArtifactDocument
  bytes: Uint8Array
  sha256: string
  objectKey: string
  title: string
}

const TITLE = 160

type Answer = {
  task: KnownTask
  leaseId: string
  workerId: string
  output: string
  tokensUsed: number | null
  report: CompletionReport
}

/** Named by its lease, so that the same completion makes the same bytes; null where they are more than an artifact may have. */
export function llmResult({ task, leaseId, workerId, output, tokensUsed, report }: Answer): LlmResult | null {
  const { metrics } = report
  const document: ArtifactDocument = {
    schema: 'artifact/1',
    artifact_id: artifactId(leaseId),
    job_id: null,
    task_id: task.task_id,
    run_id: task.run_id,
    agent_slug: task.agent_slug,
    type: report.artifact_type satisfies ArtifactType,
    version: 1,
    content: {
      format: task.desired_format,
      output,
      metrics: {
        duration_ms: metrics?.duration_ms ?? null,
        tokens_used: tokensUsed,
        model: metrics?.model ?? null,
        provider: metrics?.provider ?? null,
      },
      worker_id: workerId,
    },
    sources: [],
    entity_refs: [],
    tags: report.artifact_tags,
    // Nothing of it was compared with what it was made from.
    grounding: { status: 'ungrounded', claims: 0, grounded_claims: 0 },
    engine: { id: 'worker', model: metrics?.model ?? null, version: '1' },
  }
  const bytes = Buffer.from(canonicalize(document) ?? '')
  if (bytes.byteLength > ARTIFACT_BYTES) return null
  const sha256 = sha256Hex(bytes)
  return {
    artifactId: document.artifact_id,
    document,
    bytes,
    sha256,
    objectKey: casKey(sha256),
    title: titleOf(task),
  }
}

/** The prompt of a run begins like that of every other one: its call says more. */
const titleOf = ({ agent_slug, prompt, run_id, run_step }: KnownTask): string =>
  Array.from(
    run_id
      ? `${agent_slug}: call ${Number(run_step) + 1} of ${run_id}`
      : `${agent_slug}: ${prompt.replace(/\s+/gu, ' ').trim()}`,
  )
    .slice(0, TITLE)
    .join('')
