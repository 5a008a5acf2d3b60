/**
 * What became of cited places ([artifacts#sources-now]): each is compared with the file as the head of the garden has it. Every file is read once
 * at its cited revision and once at the head, however many places of it are cited.
 */
import type { ArtifactSources, SourceNow } from '#contracts/artifact.contract.ts'
import type { ArtifactSource } from '#contracts/research.contract.ts'
import { Refused } from '#domain/kernel/errors.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { StorageUnavailable } from '#server/ports/object-store.ts'
import { isVerbatim } from './check-grounding.ts'
import { findQuote } from './find-quote.ts'

type Garden = Pick<GitRepository, 'head' | 'isOnBranch' | 'read'>

/** The state of each source, in their order. Throws when the garden does not answer. */
export async function sourcesNow(
  garden: Garden,
  sources: readonly ArtifactSource[],
): Promise<ArtifactSources> {
  const revision = await garden.head()
  const files = citedFiles(garden)
  return {
    revision,
    sources: await Promise.all(sources.map((source) => sourceNow(files, source, revision))),
  }
}

async function sourceNow(files: CitedFiles, source: ArtifactSource, head: string): Promise<SourceNow> {
  if (!(await files.isOnBranch(source.revision))) return { state: 'external', lines: null }
  const { ref, revision, excerpt, lines } = source
  const then = await files.textOf(ref, revision)
  if (then === null || !isVerbatim(source, [{ ref, revision, text: then }]))
    return { state: 'unfound', lines: null }
  const now = await files.textOf(ref, head)
  if (now === null) return { state: 'deleted', lines: null }
  if (isVerbatim(source, [{ ref, revision, text: now }])) return { state: 'same', lines }
  const found = findQuote(now, excerpt, lines.from)
  return found ? { state: 'moved', lines: found } : { state: 'changed', lines: null }
}

type CitedFiles = {
  isOnBranch(revision: string): Promise<boolean>
  textOf(ref: string, revision: string): Promise<string | null>
}

/** Asks the garden once for each file and revision. */
function citedFiles(garden: Garden): CitedFiles {
  const once = <T>(ask: (...names: string[]) => Promise<T>) => {
    const asked = new Map<string, Promise<T>>()
    return (...names: string[]): Promise<T> => {
      const key = names.join('\n')
      const answer = asked.get(key) ?? ask(...names)
      asked.set(key, answer)
      return answer
    }
  }
  return {
    isOnBranch: once((revision = '') => garden.isOnBranch(revision)),
    textOf: once(async (ref = '', revision = '') => {
      const file = await garden.read(ref, revision).catch(unlessNoPath)
      return file?.text ?? null
    }),
  }
}

/** A name that is no path of a garden is no file of it; a repository that does not answer is said to. */
function unlessNoPath(error: unknown): null {
  if (error instanceof Refused && !(error instanceof StorageUnavailable)) return null
  throw error
}
