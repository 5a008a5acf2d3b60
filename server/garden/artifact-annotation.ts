import { z } from 'zod'
import type { AddedTag } from '#contracts/artifact.contract.ts'
import { annotationPath } from '#domain/garden/target.rules.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'

/**
 * Tags that people and agents added to an artifact, whose document never changes ([artifacts#tags]):
 * `_bloom/annotations/artifacts/<artifact_id>/tags.json` = `{artifact_id, added: [{tag, by, at, proposal_id}]}`. A file of an earlier version
 * holds `tags` alone and does not say who added them.
 */
const added = z.object({
  tag: z.string(),
  by: z.string().nullable().default(null),
  at: z.string().nullable().default(null),
  proposal_id: z.string().nullable().default(null),
})
const file = z.union([
  z.object({ added: z.array(added) }).transform((value) => value.added),
  z
    .object({ tags: z.array(z.string()) })
    .transform((value) => value.tags.map((tag) => ({ tag, by: null, at: null, proposal_id: null }))),
])

const ANNOTATION = /^_bloom\/annotations\/artifacts\/([^/]+)\/tags\.json$/

/** The artifact whose added tags this file holds, or null. */
export const artifactOfAnnotation = (path: string): string | null => ANNOTATION.exec(path)?.[1] ?? null

/** The added tags in the order in which they were added; a file that is not there or does not parse has none. */
export function parseAnnotation(text: string | null): AddedTag[] {
  try {
    return file.parse(JSON.parse(text ?? '{"added":[]}'))
  } catch {
    return []
  }
}

export const annotationText = (artifactId: string, tags: readonly AddedTag[]): string =>
  `${JSON.stringify({ artifact_id: artifactId, added: tags }, null, 2)}\n`

/** The tags added to an artifact at a revision. */
export async function addedTagsAt(
  garden: Pick<GitRepository, 'read'>,
  artifactId: string,
  revision?: string,
): Promise<AddedTag[]> {
  return parseAnnotation((await garden.read(annotationPath(artifactId), revision))?.text ?? null)
}
