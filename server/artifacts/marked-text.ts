import type { MarkedSentence, MarkedText, ReadableText, SentenceMarks } from '#contracts/artifact.contract.ts'
import { sentencesOf } from '#server/retrieval/sentences.ts'

/** The sentences beside their marks; null where they are not those that were marked, since the rule that splits a text has changed. */
export function markedText(
  { summary, sections, conclusions }: ReadableText,
  marks: SentenceMarks,
): MarkedText | null {
  let same = sections.length === marks.sections.length && conclusions.length === marks.conclusions.length
  const zip = (text: string, sources: readonly number[][] = []): MarkedSentence[] => {
    const sentences = sentencesOf(text)
    same &&= sentences.length === sources.length
    return sentences.map((sentence, n) => ({ text: sentence, sources: sources[n] ?? [] }))
  }
  const text = {
    summary: zip(summary, marks.summary),
    sections: sections.map(({ body }, n) => zip(body, marks.sections[n])),
    conclusions: conclusions.map((line, n) => zip(line, marks.conclusions[n])),
  }
  return same ? text : null
}
