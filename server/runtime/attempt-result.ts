/** What an attempt leaves behind: its result, as it is answered now and to every repeat, and the row of its artifact. */
import sql from 'sql-template-tag'
import type { TaskView } from '#contracts/llm-task.contract.ts'
import type { TaskResult } from '#contracts/task-report.contract.ts'
import { ok, type Result } from '#domain/kernel/result.ts'
import type { TaskErrorCode } from '#domain/task/failure.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import { json, NODE } from '#server/ledger/event-fields.ts'
import { prepared } from '#server/ledger/prepared.ts'
import { columns, type Row } from '#server/ledger/rows.ts'
import type { LlmResult } from './llm-result.ts'
import { type TaskRow, taskView } from './runtime-rows.ts'
import { NO_TASK } from './seen-task.ts'
import type { KnownLease, KnownTask } from './show-lease.ts'

export type Completed = { task: TaskView; artifact: unknown; result: TaskResult }

type Kept = {
  lease: KnownLease
  digest: string
  outcome: 'completed' | 'failed'
  code: TaskErrorCode | null
  message: string | null
  output: string | null
  partial: string | null
  artifactId: string | null
  metrics: unknown
}

/** The result as it is answered now and to every repeat; the output itself is in the artifact. */
export async function keepResult(tx: Db, kept: Kept): Promise<TaskResult> {
  const { lease, outcome } = kept
  const { rows } = await tx.query<{ result: TaskResult }>(
    prepared(sql`UPDATE task_attempt SET outcome = ${outcome}, error_code = ${kept.code}, error_message = ${kept.message}, partial_output = ${kept.partial},
      metrics = ${json(kept.metrics)}, completion_digest = ${kept.digest}, completed_at = clock_timestamp(), result = jsonb_build_object(
        'id', lease_id, 'task_id', task_id, 'worker_id', ${lease.worker_id}::text, 'artifact_id', ${kept.artifactId}::text,
        'status', ${outcome === 'completed' ? 'success' : 'error'}::text, 'output', ${kept.output}::text, 'error_message', ${kept.message}::text,
        'metrics', ${json(kept.metrics)}, 'completed_at', floor(extract(epoch FROM clock_timestamp()) * 1000))
      WHERE lease_id = ${lease.lease_id} RETURNING result`),
  )
  if (!rows[0]) throw new Error('a lease without an attempt')
  return rows[0].result
}

export function insertResult(
  task: KnownTask,
  { artifactId, document, bytes, sha256, objectKey, title }: LlmResult,
) {
  return sql`WITH made AS (
      INSERT INTO artifact (artifact_id, task_id, run_id, agent_slug, type, title, object_key, content_sha256, bytes, engine, grounding, tags)
      VALUES (${artifactId}, ${task.task_id}, ${task.run_id}, ${task.agent_slug}, ${document.type}, ${title}, ${objectKey}, ${sha256}, ${bytes.byteLength},
        ${json(document.engine)}, ${json(document.grounding)}, ${document.tags})
      RETURNING *)
    INSERT INTO event (name, actor, actor_role, via, resource_type, resource_id, node, refs, details)
    SELECT 'artifact.created', 'runtime', 'service', 'system', 'artifact', m.artifact_id, ${NODE}::text,
      jsonb_strip_nulls(jsonb_build_object('artifact_id', m.artifact_id, 'task_id', m.task_id, 'run_id', m.run_id, 'agent', m.agent_slug)),
      jsonb_build_object('type', m.type, 'content_sha256', m.content_sha256, 'bytes', m.bytes)
    FROM made m`
}

const ARTIFACT = ['artifact_id', 'task_id', 'type', 'content_sha256', 'bytes', 'tags'] as const
type ArtifactRow = Row<'artifact', (typeof ARTIFACT)[number]>

export const artifactView = ({ artifact_id: id, ...rest }: ArtifactRow) => ({ id, ...rest })

/** The answer that the report under this lease got. */
export async function storedAnswer(db: Db, taskId: string, leaseId: string): Promise<Result<Completed>> {
  const { rows } = await db.query<TaskRow & { result: TaskResult; artifact: ArtifactRow | null }>(
    prepared(sql`SELECT t.*, a.result, to_jsonb(f) AS artifact
      FROM llm_task t JOIN task_attempt a ON a.task_id = t.task_id
        LEFT JOIN LATERAL (SELECT ${columns('artifact', 'f', ARTIFACT)} FROM artifact f WHERE f.artifact_id = a.result->>'artifact_id') f ON true
      WHERE t.task_id = ${taskId} AND a.lease_id = ${leaseId}`),
  )
  const row = rows[0]
  if (!row) return NO_TASK
  const { artifact, result } = row
  return ok({ task: taskView(row), artifact: artifact && artifactView(artifact), result })
}
