import type { GitRepository } from '#server/ports/git-repository.ts'
import { PATIENCE_MS } from './in-time.ts'
import { type NoteSource, parsedInTime, parsedNote } from './read-note.ts'

/**
 * The tags of these notes at a commit (default: the head), in frontmatter and text, by which zones decide what they show; a note
 * that does not exist has none.
 */
export function tagsOfNotes(
  garden: Files,
  paths: readonly string[],
  revision?: string,
): Promise<Map<string, readonly string[]>> {
  return tagsBy(parsedNote, garden, paths, revision)
}

/** The same for somebody who waits: of what is not parsed within a moment (at `until` of `performance.now()`) the tags that it states, which are never too many ([garden#reading]). */
export function tagsInTime(
  garden: Files,
  paths: readonly string[],
  revision?: string,
  until = performance.now() + PATIENCE_MS,
): Promise<Map<string, readonly string[]>> {
  return tagsBy((note) => parsedInTime(note, until), garden, paths, revision)
}

type Files = Pick<GitRepository, 'read'>
type Parse = (note: NoteSource) => Promise<{ tags: readonly string[] }>

async function tagsBy(parse: Parse, garden: Files, paths: readonly string[], revision?: string) {
  const read = await Promise.all(
    paths.map(async (path) => {
      const file = await garden.read(path, revision)
      return [path, file ? (await parse({ path, text: file.text, sha256: file.sha256 })).tags : []] as const
    }),
  )
  return new Map(read)
}
