import { readWhole } from '#server/garden/garden-reading.ts'
import { parsedNote, renderedText } from '#server/garden/read-note.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { gardenAt } from '#server/retrieval/garden-index.ts'

/** Waits until every note of the head is parsed and indexed; on a busy machine a list may be answered before. */
export async function gardenIsRead(garden: GitRepository): Promise<void> {
  const { notes, index } = await gardenAt(garden)
  await Promise.all([readWhole(notes), index()])
}

/** Waits until a note is parsed and rendered; on a busy machine its page may be shown before. */
export async function noteIsRead(garden: GitRepository, path: string): Promise<void> {
  const note = await garden.read(path)
  if (note) await Promise.all([parsedNote(note), renderedText(note.text, { resolve: () => null })])
}
