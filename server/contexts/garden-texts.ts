import type { GitRepository } from '#server/ports/git-repository.ts'
import type { IndexDocument } from '#server/retrieval/document-lines.ts'
import { buildIndexInSlices, type SearchIndex } from '#server/retrieval/search-index.ts'

/** The garden's notes at one commit, with their search index. */
export type GardenTexts = {
  revision: string
  documents: ReadonlyMap<string, IndexDocument>
  index: SearchIndex
}

/**
 * Reads the garden once for each commit and shares the outcome among the jobs that ask meanwhile; only the newest is kept. A reading that
 * fails is forgotten, so that the next job tries anew.
 */
export function gardenTexts(
  garden: Pick<GitRepository, 'head' | 'list' | 'read'>,
): () => Promise<GardenTexts> {
  let kept: { revision: string; texts: Promise<GardenTexts> } | null = null
  return async () => {
    const revision = await garden.head()
    if (kept?.revision !== revision) {
      const fresh = { revision, texts: readAll(garden, revision) }
      fresh.texts.catch(() => {
        if (kept === fresh) kept = null
      })
      kept = fresh
    }
    return kept.texts
  }
}

async function readAll(garden: Pick<GitRepository, 'list' | 'read'>, revision: string): Promise<GardenTexts> {
  const notes = (await garden.list(revision)).filter((file) => file.path.endsWith('.md'))
  const files = await Promise.all(notes.map((note) => garden.read(note.path, revision)))
  const documents = files.flatMap((file) =>
    file ? [{ ref: file.path, revision, text: file.text.replaceAll('\r\n', '\n') }] : [],
  )
  return {
    revision,
    documents: new Map(documents.map((d) => [d.ref, d])),
    index: await buildIndexInSlices(documents),
  }
}
