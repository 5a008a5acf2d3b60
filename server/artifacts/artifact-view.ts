import sql, { type Sql } from 'sql-template-tag'
import type { ArtifactRow } from '#contracts/artifact.contract.ts'

/** The columns of an artifact `a` as `artifactView` expects them. */
export const VIEW_COLUMNS: Sql = sql`a.artifact_id, a.type, a.title, a.job_id, a.run_id, a.agent_slug, a.engine, a.grounding, a.tags, a.entity_refs,
  a.source_paths, a.bytes, a.version, a.created_at`

export type ViewRow = Omit<ArtifactRow, 'created_at'> & { created_at: Date }

export const artifactView = (row: ViewRow): ArtifactRow => ({
  artifact_id: row.artifact_id,
  type: row.type,
  title: row.title,
  job_id: row.job_id,
  run_id: row.run_id,
  agent_slug: row.agent_slug,
  engine: row.engine,
  grounding: row.grounding,
  tags: row.tags,
  entity_refs: row.entity_refs,
  source_paths: row.source_paths,
  bytes: row.bytes,
  version: row.version,
  created_at: row.created_at.toISOString(),
})

/** What a guest is not told: who worked, for which job and run (page 09, section 4). */
export const forGuest = <T extends ArtifactRow>(view: T): T => ({ ...view, job_id: null, run_id: null })
