/**
 * The passages of a text and the words under which they are found. Those of a file are kept by its digest for all revisions that hold it, so
 * that after a commit only the changed notes are read again, whatever the size of the garden.
 */
import { BoundedCache } from '#domain/kernel/bounded-cache.ts'
import { processWide } from '#domain/kernel/process-wide.ts'
import type { IndexDocument } from './document-lines.ts'
import { eachPassage, type Passage } from './passages.ts'
import { indexTerms } from './tokenize.ts'

export type ReadPassage = { passage: Passage; text: string[]; headings: string[] }

/**
 * Words as numbers of a vocabulary, because a word that stands a thousand times shall not be kept a thousand times; those of all passages in
 * one array, because an array for each costs more than what it holds.
 */
type Kept = {
  vocabulary: readonly string[]
  passages: readonly Passage[]
  words: Uint32Array
  /** Where in `words` the text and the headings of each passage end. */
  ends: Uint32Array
}

const KEPT_BYTES = 48 * 1024 * 1024
/** A passage costs about this much beside its text and the number of each word; a word of the vocabulary about so much. */
const WEIGHT = { passage: 250, word: 60 }

const kept = () => processWide('read-passages', () => new BoundedCache<Kept>(KEPT_BYTES))

/** Every passage of a document, in the order of its lines; one after the other, so that others may have a turn between. */
export function* readPassages(document: IndexDocument): Generator<ReadPassage> {
  const known = document.sha256 === undefined ? undefined : kept().get(document.sha256)
  yield* known ? readAgain(known, document) : readAnew(document)
}

function* readAgain(
  { vocabulary, passages, words, ends }: Kept,
  { ref, revision }: IndexDocument,
): Generator<ReadPassage> {
  let at = 0
  const wordsUpTo = (end: number | undefined): string[] => {
    const numbers = words.subarray(at, end)
    at += numbers.length
    return Array.from(numbers, (n) => vocabulary[n] ?? '')
  }
  for (const [i, passage] of passages.entries()) {
    const text = wordsUpTo(ends[2 * i])
    yield { passage: { ...passage, ref, revision }, text, headings: wordsUpTo(ends[2 * i + 1]) }
  }
}

function* readAnew(document: IndexDocument): Generator<ReadPassage> {
  const numbers = new Map<string, number>()
  const passages: Passage[] = []
  const words: number[] = []
  const ends: number[] = []
  const keep = (list: readonly string[]) => {
    for (const word of list) {
      const number = numbers.get(word) ?? numbers.size
      numbers.set(word, number)
      words.push(number)
    }
    ends.push(words.length)
  }
  for (const passage of eachPassage(document)) {
    const text = indexTerms(passage.text)
    const headings = indexTerms(passage.headings.join('\n'))
    if (document.sha256 !== undefined) {
      passages.push(passage)
      keep(text)
      keep(headings)
    }
    yield { passage, text, headings }
  }
  if (document.sha256 === undefined) return
  const weight =
    document.text.length + passages.length * WEIGHT.passage + words.length * 4 + numbers.size * WEIGHT.word
  kept().set(
    document.sha256,
    {
      vocabulary: [...numbers.keys()],
      passages,
      words: Uint32Array.from(words),
      ends: Uint32Array.from(ends),
    },
    weight,
  )
}
