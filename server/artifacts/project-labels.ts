/**
 * The added tags of artifacts in the ledger, where lists and searches find them ([artifacts#tags]): a projection of the garden's annotations.
 *
 * It compares the garden with what the rows were made of and brings them up to it, so it may run at any time, twice or after a rebuild. The
 * Apply Engine has it follow each commit at once; a loop finds what came by push.
 */
import sql from 'sql-template-tag'
import { annotationPath } from '#domain/garden/target.rules.ts'
import { artifactOfAnnotation, parseAnnotation } from '#server/garden/artifact-annotation.ts'
import type { Db } from '#server/ledger/database.ts'
import { json } from '#server/ledger/event-fields.ts'
import type { Row } from '#server/ledger/rows.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'

type Garden = Pick<GitRepository, 'list' | 'read'>
type Changed = { artifact_id: string; annotations: string | null; added: unknown }

/** Brings every artifact's added tags up to this revision; returns the artifacts that changed. */
export async function projectLabels(
  db: Pick<Db, 'query'>,
  garden: Garden,
  revision: string,
): Promise<string[]> {
  const files = new Map<string, string>()
  for (const { path, oid } of await garden.list(revision)) {
    const id = artifactOfAnnotation(path)
    if (id) files.set(id, oid)
  }
  const { rows } = await db.query<
    Row<'artifact_labels', 'artifact_id' | 'annotations'>
  >(sql`SELECT l.artifact_id, l.annotations FROM artifact_labels l
    WHERE l.annotations IS NOT NULL OR l.artifact_id = ANY(${[...files.keys()]})`)
  const stale = rows.filter((row) => row.annotations !== (files.get(row.artifact_id) ?? null))
  return write(
    db,
    garden,
    revision,
    stale.map((row) => row.artifact_id),
  )
}

/** The same for the artifacts whose annotations are among these paths. */
export const projectLabelsOf = (
  db: Pick<Db, 'query'>,
  garden: Garden,
  { revision, paths }: { revision: string; paths: readonly string[] },
): Promise<string[]> =>
  write(
    db,
    garden,
    revision,
    paths.flatMap((path) => artifactOfAnnotation(path) ?? []),
  )

async function write(
  db: Pick<Db, 'query'>,
  garden: Garden,
  revision: string,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return []
  const changed = await Promise.all(
    ids.map(async (artifact_id): Promise<Changed> => {
      const file = await garden.read(annotationPath(artifact_id), revision)
      return { artifact_id, annotations: file?.oid ?? null, added: parseAnnotation(file?.text ?? null) }
    }),
  )
  await db.query(sql`UPDATE artifact_labels l SET added = i.added, annotations = i.annotations
    FROM jsonb_to_recordset(${json(changed)}) AS i(artifact_id text, annotations text, added jsonb)
    WHERE l.artifact_id = i.artifact_id`)
  return changed.map(({ artifact_id }) => artifact_id)
}
