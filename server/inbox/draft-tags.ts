import type { GardenPath } from '#domain/garden/garden-path.ts'
import { annotationPath } from '#domain/garden/target.rules.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { type TagChange, taggedText } from '#server/garden/tagged-text.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import type { DraftChange } from '#server/proposals/normal-form.ts'

/** The change of one file that adds and removes tags (contract page 01, section 8.1; page 02, section 6.4). */
export async function draftTags(
  { garden, head }: { garden: GitRepository; head: string },
  target: { space: 'notes'; path: GardenPath } | { space: 'artifacts'; artifactId: string },
  { add, remove }: TagChange,
): Promise<Result<DraftChange>> {
  const tags = { add: [...add], remove: [...remove] }
  const path = target.space === 'notes' ? target.path : annotationPath(target.artifactId)
  const file = await garden.read(path, head)
  const text = taggedText(path, file?.text ?? null, tags)
  if (text === null)
    return refuse({ code: 'DIFF_INVALID', message: 'The frontmatter of the note does not parse.' })
  return ok({ path, diff: file ? { type: 'replace', text } : { type: 'create', text }, tags })
}
