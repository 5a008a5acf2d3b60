/**
 * What the gateway itself finds out about a submission ([artifacts#grounding]): it reads every cited place again from the garden at the
 * cited revision, and counts which claims stand in a quote that is there. What the engine or its backend says of it is not believed.
 */
import {
  ARTIFACTS,
  type ArtifactSubmission,
  briefContent,
  type ReadableText,
  type SentenceMarks,
} from '#contracts/artifact.contract.ts'
import { type ArtifactSource, researchPayload } from '#contracts/research.contract.ts'
import { Refused } from '#domain/kernel/errors.ts'
import { StorageUnavailable, sha256Hex } from '#server/ports/object-store.ts'
import { type Claim, claimsOf, countGrounded, markSentences } from '#server/retrieval/check-grounding.ts'
import type { IndexDocument } from '#server/retrieval/document-lines.ts'
import { sentencesOf } from '#server/retrieval/sentences.ts'
import type { Services } from '#server/services.ts'

/** A submission with what was found out about it; `marks` of a type that is read as a text. */
export type GroundedSubmission = ArtifactSubmission & { marks?: SentenceMarks }

/** The submission with its grounding, the marks of its sentences and its counts as they are. Throws when the garden does not answer. */
export async function groundSubmission(
  { garden }: Pick<Services, 'garden'>,
  job: { payload: unknown },
  submission: ArtifactSubmission,
): Promise<GroundedSubmission> {
  const documents = [
    ...givenTexts(job.payload),
    ...(await Promise.all(locationsOf(submission.sources).map((location) => documentAt(garden, location)))),
  ].filter((d) => d !== null)
  const grounding = countGrounded(claimsIn(submission), submission.sources, documents)
  const text = readableOf(submission)
  const marks = text && markSentences(text, submission.sources, documents)
  return { ...submission, content: counted(submission), grounding, ...(marks ? { marks } : {}) }
}

type Location = Pick<ArtifactSource, 'ref' | 'revision'>

const locationsOf = (sources: readonly ArtifactSource[]): Location[] => [
  ...new Map(sources.map(({ ref, revision }) => [`${revision} ${ref}`, { ref, revision }])).values(),
]

/** The text of a cited note; null when the branch has no such revision, or the revision no such note. */
async function documentAt(
  garden: Services['garden'],
  { ref, revision }: Location,
): Promise<IndexDocument | null> {
  if (!(await garden.isOnBranch(revision))) return null
  const file = await garden.read(ref, revision).catch((error: unknown) => {
    // A name that is no path of a garden cites nothing.
    if (error instanceof Refused && !(error instanceof StorageUnavailable)) return null
    throw error
  })
  return file && { ref, revision, text: file.text }
}

/** Texts that the job brought itself are known here too, under the digest of their bytes. */
function givenTexts(payload: unknown): IndexDocument[] {
  const parsed = researchPayload.safeParse(payload)
  const sources = (parsed.success && parsed.data.sources) || []
  return sources.flatMap(({ ref, text }) =>
    text === undefined ? [] : [{ ref, text, revision: sha256Hex(text) }],
  )
}

/** Every sentence of the artifact; none of a type that is no text. Content that does not fit its type is refused later. */
function claimsIn({ type, content }: ArtifactSubmission): Claim[] {
  const brief = briefContent.safeParse(content)
  if (type === 'BRIEF' && brief.success)
    return sentencesOf(brief.data.body).map((text) => ({ text, refs: null }))
  const text = readableOf({ type, content })
  return text ? claimsOf(text) : []
}

function readableOf({ type, content }: Pick<ArtifactSubmission, 'type' | 'content'>): ReadableText | null {
  const kind = ARTIFACTS[type]
  return kind.readable && kind.content.safeParse(content).success ? kind.readable(content) : null
}

function counted({ type, content }: ArtifactSubmission): ArtifactSubmission['content'] {
  if (type !== 'BRIEF' || typeof content.body !== 'string') return content
  return { ...content, word_count: wordsOf(content.body) }
}

const words = new Intl.Segmenter(undefined, { granularity: 'word' })
const wordsOf = (text: string): number =>
  [...words.segment(text)].filter((segment) => segment.isWordLike).length
