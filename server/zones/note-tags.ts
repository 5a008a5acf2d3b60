import type { Services } from '#server/composition/services.ts'
import { parseNote } from '#server/garden/parse-note.ts'

/** The tags of these notes at the garden's head, for the scope of a zone; a note that does not exist has none. */
export async function tagsOfNotes(
  services: Pick<Services, 'garden'>,
  paths: readonly string[],
): Promise<Map<string, readonly string[]>> {
  const read = await Promise.all(
    paths.map(async (path) => {
      const file = await services.garden.read(path)
      return [path, file ? parseNote(path, file.text).tags : []] as const
    }),
  )
  return new Map(read)
}
