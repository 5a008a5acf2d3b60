import type { GitRepository } from '#server/ports/git-repository.ts'
import { parsedNote } from './read-note.ts'

/**
 * The tags of these notes at a commit (default: the head), in frontmatter and text, by which zones decide what they show; a note
 * that does not exist has none.
 */
export async function tagsOfNotes(
  garden: Pick<GitRepository, 'read'>,
  paths: readonly string[],
  revision?: string,
): Promise<Map<string, readonly string[]>> {
  const read = await Promise.all(
    paths.map(async (path) => {
      const file = await garden.read(path, revision)
      return [
        path,
        file ? (await parsedNote({ path, text: file.text, sha256: file.sha256 })).tags : [],
      ] as const
    }),
  )
  return new Map(read)
}
