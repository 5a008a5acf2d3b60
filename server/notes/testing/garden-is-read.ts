import { readWhole } from '#server/garden/garden-reading.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { gardenAt } from '#server/retrieval/garden-index.ts'

/** Waits until every note of the head is parsed; on a busy machine a list may be answered before. */
export async function gardenIsRead(garden: GitRepository): Promise<void> {
  await readWhole((await gardenAt(garden)).notes)
}
