import type { AddedTag, ArtifactRow } from '#contracts/artifact.contract.ts'
import type { Reads } from '#server/ledger/prisma.ts'
import { type Row, rowsOf, selected } from '#server/ledger/rows.ts'
import type { Services } from '#server/services.ts'

declare module '#server/ledger/rows.ts' {
  interface Shapes {
    artifact: Pick<ArtifactRow, 'type' | 'engine' | 'grounding'>
    artifact_labels: { added: AddedTag[] }
  }
}

/** What `artifactView` reads of an artifact. */
export const VIEWED = [
  'artifact_id',
  'type',
  'title',
  'job_id',
  'task_id',
  'run_id',
  'agent_slug',
  'engine',
  'grounding',
  'tags',
  'entity_refs',
  'source_paths',
  'bytes',
  'version',
  'created_at',
  'finalized_at',
] as const

/** The same for Prisma Client. */
export const VIEW_SELECT = selected(VIEWED)

export type ViewRow = Row<'artifact', (typeof VIEWED)[number]>

/** The tags that proposals added to these artifacts. */
export async function addedTagsOf(
  reads: Reads,
  ids: readonly string[],
): Promise<ReadonlyMap<string, AddedTag[]>> {
  const rows = await reads.artifactLabels.findMany({
    select: selected(['artifact_id', 'added']),
    where: { artifact_id: { in: [...ids] } },
  })
  return new Map(rowsOf('artifact_labels', rows).map((row) => [row.artifact_id, row.added]))
}

/** What is known of an artifact beside its row. */
type Beside = { added?: readonly AddedTag[] | undefined; removedAt?: Date | null | undefined }

export const artifactView = (
  row: ViewRow,
  env: ConsoleEnv,
  { added = [], removedAt = null }: Beside = {},
): ArtifactRow => ({
  artifact_id: row.artifact_id,
  type: row.type,
  title: row.title,
  job_id: row.job_id,
  task_id: row.task_id,
  run_id: row.run_id,
  agent_slug: row.agent_slug,
  engine: row.engine,
  grounding: row.grounding,
  tags: row.tags,
  added_tags: [...added],
  entity_refs: row.entity_refs,
  source_paths: row.source_paths,
  bytes: row.bytes,
  version: row.version,
  created_at: row.created_at.toISOString(),
  finalized: true,
  finalized_at: row.finalized_at.toISOString(),
  url: artifactUrl(env, row.artifact_id),
  removed_at: removedAt?.toISOString() ?? null,
})

/** A guest does not see by which agent, job, task and run an artifact was made, nor who added tags ([artifacts#reading]). */
export const forGuest = <T extends ArtifactRow>(view: T): T => ({
  ...view,
  job_id: null,
  task_id: null,
  run_id: null,
  agent_slug: null,
  added_tags: view.added_tags.map((added) => ({ ...added, by: null, proposal_id: null })),
})

export type ConsoleEnv = Pick<Services['env'], 'PUBLIC_URL'>

/** Where the gateway shows an artifact; the `url` of its view. */
export const artifactUrl = ({ PUBLIC_URL }: ConsoleEnv, id: string): string =>
  `${PUBLIC_URL}/api/v1/artifacts/${id}`
