/**
 * What became of cited places ([artifacts#sources-now]): each is compared with the file as the head of the garden has it. Every file is read once
 * at its cited revision and once at the head, and split and folded once, however many places of it are cited; a few files at once.
 */
import type { ArtifactSources, SourceNow } from '#contracts/artifact.contract.ts'
import type { ArtifactSource } from '#contracts/research.contract.ts'
import { Refused } from '#domain/kernel/errors.ts'
import { takingTurns } from '#server/garden/in-time.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { StorageUnavailable } from '#server/ports/object-store.ts'
import { holdsAt } from './check-grounding.ts'
import type { IndexDocument } from './document-lines.ts'
import { fewAtOnce } from './few-at-once.ts'
import { type FoldedLines, findQuote, foldLines } from './find-quote.ts'
import { foldSpace } from './sentences.ts'

type Garden = Pick<GitRepository, 'head' | 'isOnBranch' | 'read'>

/** The state of each source, in their order; others have their turn between two of them. Throws when the garden does not answer. */
export async function sourcesNow(
  garden: Garden,
  sources: readonly ArtifactSource[],
): Promise<ArtifactSources> {
  const head = await garden.head()
  const isOnBranch = once((revision: string) => garden.isOnBranch(revision))
  const turn = takingTurns()
  const states: SourceNow[] = []
  const byFile = Map.groupBy(sources.entries(), ([, { ref }]) => ref)
  await fewAtOnce([...byFile], async ([ref, cited]) => {
    const at = once((revision: string) => citedFile(garden, ref, revision))
    for (const [position, source] of cited) {
      states[position] = await sourceNow({ isOnBranch, at, head }, source)
      await turn()
    }
  })
  return { revision: head, sources: states }
}

/** The file that a source names, at any revision. */
type File = {
  isOnBranch(revision: string): Promise<boolean>
  at(revision: string): Promise<CitedFile | null>
  head: string
}

async function sourceNow(
  { isOnBranch, at, head }: File,
  { revision, excerpt, lines }: ArtifactSource,
): Promise<SourceNow> {
  if (!(await isOnBranch(revision))) return { state: 'external', lines: null }
  const quote = foldSpace(excerpt)
  const then = await at(revision)
  if (then === null || !holdsAt(then.document, lines, quote)) return { state: 'unfound', lines: null }
  const now = await at(head)
  if (now === null) return { state: 'deleted', lines: null }
  if (holdsAt(now.document, lines, quote)) return { state: 'same', lines }
  const found = findQuote(now.folded(), excerpt, lines.from)
  return found ? { state: 'moved', lines: found } : { state: 'changed', lines: null }
}

/** Asks once for each revision. */
function once<T>(ask: (revision: string) => Promise<T>): (revision: string) => Promise<T> {
  const asked = new Map<string, Promise<T>>()
  return (revision) => {
    const answer = asked.get(revision) ?? ask(revision)
    asked.set(revision, answer)
    return answer
  }
}

/** One document, so that its lines are split once, and its folded text, made when it is first looked through. */
type CitedFile = { document: IndexDocument; folded: () => FoldedLines }

async function citedFile(garden: Garden, ref: string, revision: string): Promise<CitedFile | null> {
  const file = await garden.read(ref, revision).catch(unlessNoPath)
  if (!file) return null
  let folded: FoldedLines | undefined
  return {
    document: { ref, revision, text: file.text },
    folded: () => {
      folded ??= foldLines(file.text)
      return folded
    },
  }
}

/** A name that is no path of a garden is no file of it; a repository that does not answer is said to. */
function unlessNoPath(error: unknown): null {
  if (error instanceof Refused && !(error instanceof StorageUnavailable)) return null
  throw error
}
