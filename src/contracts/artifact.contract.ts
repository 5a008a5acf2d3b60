import { z } from 'zod'
import type { JobType } from '#domain/job/job.rules.ts'
import { PATTERNS } from '#domain/kernel/ids.ts'
import { annotation } from './note.contract.ts'
import { artifactSource, engineMark, grounding, lineRange, researchBrief } from './research.contract.ts'
import { tagName } from './tag.contract.ts'

/**
 * Artifacts as the console and the API show them ([artifacts#purpose]). An artifact is finalized when it exists
 * and never changes; its content is the document under its content address.
 */
const time = z.string()

export const ARTIFACT_TYPES = [
  'RESEARCH_BRIEF',
  'BRIEF',
  'PREPROCESSED_PROPOSAL',
  'LLM_RESULT',
  'SPEC',
  'VERIFICATION',
] as const
export const artifactType = z.enum(ARTIFACT_TYPES)
export type ArtifactType = z.infer<typeof artifactType>
export const ARTIFACT_BYTES = 1024 * 1024

export const artifactId = z.string().regex(PATTERNS.artifact, 'must be an artifact id')

export const briefContent = z
  .object({
    title: z.string().min(1).max(300),
    body: z.string().min(1),
    entity_map: z.record(z.string(), z.string()),
    word_count: z.number().int().min(0),
  })
  .strict()

export const preprocessedContent = z
  .object({
    original: z.unknown(),
    enriched: z.unknown(),
    issues: z.array(
      z
        .object({ field: z.string(), severity: z.enum(['error', 'warning', 'info']), message: z.string() })
        .strict(),
    ),
    entity_matches: z.array(
      z.object({ text: z.string(), entity_id: z.string(), confidence: z.number().min(0).max(1) }).strict(),
    ),
  })
  .strict()

/** What a Worker Node answered to the prompt of an LLM Task; JSON stays the text that it was. */
export const llmResultContent = z
  .object({
    format: z.enum(['text', 'json', 'markdown']),
    output: z.string(),
    metrics: z
      .object({
        duration_ms: z.number().nullable(),
        tokens_used: z.number().nullable(),
        model: z.string().nullable(),
        provider: z.string().nullable(),
      })
      .strict(),
    worker_id: z.string(),
  })
  .strict()

/** The Markdown of an artifact that is read as a text: shown rendered, and its sections may name only refs that it cites. */
export type ReadableText = {
  summary: string
  sections: { body: string; sources: string[] }[]
  conclusions: string[]
}
const textWith = <T extends z.ZodType>(sentence: T) =>
  z.object({
    summary: z.array(sentence),
    sections: z.array(z.array(sentence)),
    conclusions: z.array(z.array(sentence)),
  })
/** Of each sentence of a text, in their order, the places among `sources` that it stands in; none is ungrounded. Counted by code. */
export const sentenceMarks = textWith(z.array(z.number().int().min(0)))
export type SentenceMarks = z.infer<typeof sentenceMarks>
/** The same with the sentences themselves, as the viewer shows them. */
const markedSentence = z.object({ text: z.string(), sources: z.array(z.number()) })
export type MarkedSentence = z.infer<typeof markedSentence>
const markedText = textWith(markedSentence)
export type MarkedText = z.infer<typeof markedText>

type ArtifactKind = {
  /** Schema of the content; null for a type that nothing in this product makes yet. */
  content: z.ZodType | null
  /** The type of the jobs that make it. */
  job: JobType | null
  /** Its text, of a content that fits the schema; null when it has none. */
  readable: ((content: unknown) => ReadableText | null) | null
}
const NOT_MADE = { content: null, job: null, readable: null }

/** Everything that differs from type to type. Its viewer stands in the console's record of the same types. */
export const ARTIFACTS = {
  RESEARCH_BRIEF: {
    content: researchBrief,
    job: 'RESEARCH',
    readable: (content: unknown) => researchBrief.parse(content),
  },
  BRIEF: { content: briefContent, job: 'BRIEF', readable: null },
  PREPROCESSED_PROPOSAL: { content: preprocessedContent, job: 'PROPOSAL_PREPROCESS', readable: null },
  LLM_RESULT: {
    content: llmResultContent,
    job: null,
    readable: (content: unknown) => {
      const { format, output } = llmResultContent.parse(content)
      return format === 'markdown' ? { summary: output, sections: [], conclusions: [] } : null
    },
  },
  SPEC: NOT_MADE,
  VERIFICATION: NOT_MADE,
} as const satisfies Record<ArtifactType, ArtifactKind>
export type ArtifactContent<T extends ArtifactType> = z.infer<NonNullable<(typeof ARTIFACTS)[T]['content']>>

type TypeOfJob = { [T in ArtifactType as NonNullable<(typeof ARTIFACTS)[T]['job']>]: T }
/** Which artifact a job of the type makes: the record above read the other way. A job type that makes none does not compile. */
export const ARTIFACT_OF_JOB = Object.fromEntries(
  ARTIFACT_TYPES.flatMap((type) => (ARTIFACTS[type].job ? [[ARTIFACTS[type].job, type]] : [])),
) as TypeOfJob satisfies Record<JobType, ArtifactType>

/** Body of `POST /artifacts`, for every type ([artifacts#writing]); the content is checked by `ARTIFACTS`. */
export const artifactSubmission = z
  .object({
    job_id: z.uuid(),
    type: artifactType,
    content: z.record(z.string(), z.unknown()),
    sources: z.array(artifactSource).max(200),
    entity_refs: z.array(z.string().max(128)).max(50),
    tags: z.array(tagName).max(50),
    grounding,
    engine: engineMark,
  })
  .strict()
export type ArtifactSubmission = z.infer<typeof artifactSubmission>

/** A tag that a proposal added ([artifacts#tags]); a file of an earlier version does not say who and when. */
export const addedTag = z.object({
  tag: z.string(),
  by: z.string().nullable(),
  at: time.nullable(),
  proposal_id: z.string().nullable(),
})
export type AddedTag = z.infer<typeof addedTag>

export const artifactRow = z.object({
  artifact_id: z.string(),
  type: artifactType,
  title: z.string(),
  job_id: z.string().nullable(),
  /** The LLM Task whose answer it is. */
  task_id: z.string().nullable(),
  run_id: z.string().nullable(),
  /** Null for guests, as job, task and run are. */
  agent_slug: z.string().nullable(),
  engine: engineMark,
  grounding,
  /** Those of the document, which never change. */
  tags: z.array(z.string()),
  added_tags: z.array(addedTag),
  entity_refs: z.array(z.string()),
  /** Paths of the garden that it cites. */
  source_paths: z.array(z.string()),
  bytes: z.number(),
  version: z.number(),
  created_at: time,
  finalized: z.literal(true),
  finalized_at: time,
  /** Where the gateway serves the document: absolute, by `PUBLIC_URL`. */
  url: z.string(),
  /** When its document was removed by retention; null while it is there. */
  removed_at: time.nullable(),
})
export type ArtifactRow = z.infer<typeof artifactRow>

/** The stored document: canonical JSON whose SHA-256 is `content_sha256`; it names no digest of itself. */
export const artifactDocument = z.object({
  schema: z.literal('artifact/1'),
  artifact_id: z.string(),
  job_id: z.string().nullable(),
  /** Of one that a worker's answer became; others have none. */
  task_id: z.string().optional(),
  run_id: z.string().nullable(),
  agent_slug: z.string(),
  type: artifactType,
  version: z.number(),
  content: z.record(z.string(), z.unknown()),
  sources: z.array(artifactSource),
  entity_refs: z.array(z.string()),
  tags: z.array(z.string()),
  grounding,
  /** Of a readable type; documents of before have none. */
  marks: sentenceMarks.optional(),
  engine: engineMark,
})
export type ArtifactDocument = z.infer<typeof artifactDocument>

export const artifactDetail = artifactRow.extend({
  object_key: z.string(),
  content_sha256: z.string(),
  content: z.record(z.string(), z.unknown()),
  sources: z.array(artifactSource),
  /** The texts of a readable type as sanitized hast roots; null for other types. */
  readable: z
    .object({ summary: z.unknown(), sections: z.array(z.unknown()), conclusions: z.array(z.unknown()) })
    .nullable(),
  /** True while some of these texts and comments are shown as they are written, for a moment. Ask again. */
  reading: z.boolean(),
  /** The sentences of a readable type with what they stand in; null for other types, and for documents without marks. */
  sentences: markedText.nullable(),
  /** Comments on it, in the order of their time. */
  comments: z.array(annotation),
})
export type ArtifactDetail = z.infer<typeof artifactDetail>

export const artifactListInput = z
  .object({
    type: artifactType.optional(),
    agent: z.string().regex(PATTERNS.slug).optional(),
    job: z.string().regex(PATTERNS.job).optional(),
    run: z.string().regex(PATTERNS.run).optional(),
    /** A tag of the document, or one that was added. */
    tag: tagName.optional(),
    entity: z.string().max(128).optional(),
    q: z.string().max(200).optional(),
    cursor: z.string().max(128).optional(),
    limit: z.coerce.number().int().min(1).max(100).default(50),
  })
  .strict()
export type ArtifactListInput = z.infer<typeof artifactListInput>
export const artifactPage = z.object({ items: z.array(artifactRow), next_cursor: z.string().nullable() })
export type ArtifactPage = z.infer<typeof artifactPage>

export const artifactGetInput = z.object({ artifact_id: artifactId }).strict()

/**
 * What became of a cited place in the garden ([artifacts#sources-now]): it still stands at its lines, at others, nowhere in the file, or the
 * file is gone. `unfound`: the cited revision never had it there; `external`: cited at no revision of the garden, as a text that the job brought is.
 */
export const SOURCE_STATES = ['same', 'moved', 'changed', 'deleted', 'unfound', 'external'] as const
export type SourceState = (typeof SOURCE_STATES)[number]
export const sourceNow = z.object({
  state: z.enum(SOURCE_STATES),
  /** Where the quote stands now; of `same` and `moved` alone. */
  lines: lineRange.nullable(),
})
export type SourceNow = z.infer<typeof sourceNow>
export const artifactSources = z.object({
  /** The commit that the cited places were compared with. */
  revision: z.string(),
  /** In the order of the artifact's sources. */
  sources: z.array(sourceNow),
})
export type ArtifactSources = z.infer<typeof artifactSources>

export const EXPORT_FORMATS = ['md', 'json'] as const
export const artifactExportInput = artifactGetInput.extend({
  /** `json`: the exact stored bytes. `md`: the text with a footnote for each citation. */
  format: z.enum(EXPORT_FORMATS).default('md'),
  /** Of the headings and words that Markdown adds. */
  lang: z.enum(['en', 'uk']).default('en'),
})
export type ArtifactExportInput = z.infer<typeof artifactExportInput>

export const artifactStats = z.object({
  total: z.number(),
  by_type: z.record(z.string(), z.number()),
  /** False where there are so many that counting stopped: then the numbers are lower bounds. */
  exact: z.boolean(),
})
export type ArtifactStats = z.infer<typeof artifactStats>
