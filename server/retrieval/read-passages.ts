/**
 * The passages of a text and the words under which they are found. Those of a file are kept by its digest for all revisions that hold it, so
 * that after a commit only the changed notes are read again, whatever the size of the garden.
 */
import { BoundedCache } from '#domain/kernel/bounded-cache.ts'
import { processWide } from '#domain/kernel/process-wide.ts'
import type { IndexDocument } from './document-lines.ts'
import { type Passage, passagesOf } from './passages.ts'
import { indexTerms } from './tokenize.ts'

export type ReadPassage = { passage: Passage; text: string[]; headings: string[] }

/** Words as numbers of a vocabulary, because a word that stands a thousand times shall not be kept a thousand times. */
type Numbers = Uint32Array
type Kept = {
  vocabulary: readonly string[]
  passages: readonly { passage: Passage; text: Numbers; headings: Numbers }[]
}

const KEPT_BYTES = 48 * 1024 * 1024
/** A passage costs about this much beside its text and the number of each word; a word of the vocabulary about so much. */
const WEIGHT = { passage: 400, word: 60 }

const kept = () => processWide('read-passages', () => new BoundedCache<Kept>(KEPT_BYTES))

/** Every passage of a document, in the order of its lines; one after the other, so that others may have a turn between. */
export function* readPassages(document: IndexDocument): Generator<ReadPassage> {
  const { ref, revision, sha256 } = document
  const known = sha256 === undefined ? undefined : kept().get(sha256)
  if (!known) return yield* readAnew(document)
  const wordsOf = (numbers: Numbers) => Array.from(numbers, (n) => known.vocabulary[n] ?? '')
  for (const { passage, text, headings } of known.passages)
    yield { passage: { ...passage, ref, revision }, text: wordsOf(text), headings: wordsOf(headings) }
}

function* readAnew(document: IndexDocument): Generator<ReadPassage> {
  const numbers = new Map<string, number>()
  const passages: Kept['passages'][number][] = []
  const numbersOf = (words: readonly string[]): Numbers =>
    Uint32Array.from(words, (word) => {
      const number = numbers.get(word) ?? numbers.size
      numbers.set(word, number)
      return number
    })
  for (const passage of passagesOf(document)) {
    const text = indexTerms(passage.text)
    const headings = indexTerms(passage.headings.join('\n'))
    if (document.sha256 !== undefined)
      passages.push({ passage, text: numbersOf(text), headings: numbersOf(headings) })
    yield { passage, text, headings }
  }
  if (document.sha256 === undefined) return
  const words = passages.reduce((sum, { text, headings }) => sum + text.length + headings.length, 0)
  const weight =
    document.text.length + passages.length * WEIGHT.passage + words * 4 + numbers.size * WEIGHT.word
  kept().set(document.sha256, { vocabulary: [...numbers.keys()], passages }, weight)
}
