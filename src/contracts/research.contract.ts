import { z } from 'zod'

/**
 * RESEARCH: what a job asks, what its artifact holds, and the wire of the NotebookLM Backend ([nlm-backend#endpoints]).
 * The orchestrator, the backend, the gateway's `POST /artifacts` and the console read these schemas.
 */
const KB = 1024
const utf8 = new TextEncoder()
/** Length in bytes of UTF-8, the unit of every size limit of the contract. */
export const byteLength = (text: string): number => utf8.encode(text).byteLength

export const RESEARCH_LIMITS = {
  queryBytes: 50 * KB,
  bodyBytes: 100 * KB,
  sources: 50,
  sections: 20,
  askedSections: 12,
  excerptChars: 2000,
} as const

export const LANGUAGES = ['uk', 'en', 'ru'] as const

const sourceRef = z.string().min(1).max(1024)
/** Hex sha256 of an object or payload. */
export const sha256Digest = z.string().regex(/^[0-9a-f]{64}$/)
/** No address is fetched with a user or password in it, and none is kept. */
const webUrl = z
  .url({ protocol: /^https?$/ })
  .max(4096)
  .refine(hasNoCredentials, 'must not hold a user or a password')

/** Whether an address is free of user and password; a text that is no address is. */
export function hasNoCredentials(text: string): boolean {
  if (!URL.canParse(text)) return true
  const { username, password } = new URL(text)
  return username === '' && password === ''
}

/** Lines of a file, counted from 1, both ends included. */
export const lineRange = z
  .object({ from: z.number().int().min(1), to: z.number().int().min(1) })
  .strict()
  .refine((l) => l.to >= l.from, 'ends before it begins')

/** Payload of a RESEARCH Job. A source with a `ref` alone narrows the context to that document. */
export const researchPayload = z
  .object({
    query: z
      .string()
      .refine((q) => q.trim().length > 0, 'must not be empty')
      .refine((q) => byteLength(q) <= RESEARCH_LIMITS.queryBytes, 'must be at most 50 KB'),
    context_snapshot: z.string().max(4096).optional(),
    sources: z
      .array(z.object({ ref: sourceRef, url: webUrl.optional(), text: z.string().optional() }).strict())
      .max(RESEARCH_LIMITS.sources)
      .optional(),
    constraints: z
      .object({
        max_sections: z.number().int().min(1).max(RESEARCH_LIMITS.askedSections).optional(),
        language: z.enum(LANGUAGES).optional(),
        engine: z
          .string()
          .regex(/^[a-z0-9][a-z0-9/._-]{0,63}$/)
          .optional(),
        require_citations: z.boolean().optional(),
      })
      .strict()
      .optional(),
  })
  .strict()
export type ResearchPayload = z.infer<typeof researchPayload>

/** Content of a RESEARCH_BRIEF. `sections[].sources` are refs of the artifact's `sources[]`. */
export const researchBrief = z
  .object({
    title: z.string().min(1).max(300),
    summary: z.string().max(8000),
    sections: z
      .array(
        z
          .object({
            heading: z.string().min(1).max(300),
            body: z.string().min(1).max(20_000),
            sources: z.array(sourceRef).max(RESEARCH_LIMITS.sources),
          })
          .strict(),
      )
      .min(1)
      .max(RESEARCH_LIMITS.sections),
    conclusions: z.array(z.string().min(1).max(2000)).max(20),
    open_questions: z.array(z.string().min(1).max(2000)).max(20),
  })
  .strict()
export type ResearchBrief = z.infer<typeof researchBrief>

/** A cited place: `excerpt` is verbatim text of `lines` of `ref` at `revision`. */
export const artifactSource = z
  .object({
    ref: sourceRef,
    lines: lineRange,
    excerpt: z.string().min(1).max(RESEARCH_LIMITS.excerptChars),
    revision: z.string().min(1).max(128),
  })
  .strict()
export type ArtifactSource = z.infer<typeof artifactSource>

/** Counted by code after the engine, never by the engine. */
export const grounding = z
  .object({
    status: z.enum(['grounded', 'partial', 'ungrounded']),
    claims: z.number().int().min(0),
    grounded_claims: z.number().int().min(0),
  })
  .strict()
export type Grounding = z.infer<typeof grounding>

export const engineMark = z
  .object({
    id: z.string().min(1).max(64),
    model: z.string().max(128).nullable(),
    version: z.string().max(64),
  })
  .strict()
export type EngineMark = z.infer<typeof engineMark>

/** Body of `POST /artifacts` for a RESEARCH Job, sent with the job's write token ([artifacts#writing]). */
export const researchArtifactSubmission = z
  .object({
    job_id: z.uuid(),
    type: z.literal('RESEARCH_BRIEF'),
    content: researchBrief,
    sources: z.array(artifactSource).max(200),
    entity_refs: z.array(z.string().max(128)).max(50),
    tags: z.array(z.string().max(64)).max(50),
    grounding,
    engine: engineMark,
  })
  .strict()
export type ResearchArtifactSubmission = z.infer<typeof researchArtifactSubmission>

/** Answer of `POST /artifacts`: 201 with `created: true`, 200 with the existing one. */
export const artifactWritten = z.object({ artifact_id: z.string(), url: z.string(), created: z.boolean() })

const contextText = { ref: sourceRef, revision: z.string().max(128), text: z.string() }
/**
 * The context snapshot, served as the exact bytes whose sha256 is the last part of its address; hence it holds no
 * times. A fragment is a whole note, or a part of one that begins at line `lines.from`.
 */
export const contextSnapshot = z.object({
  schema: z.literal('context/1'),
  agent_slug: z.string().max(64),
  memory_revision: z.string().nullable(),
  mode: z.enum(['basic', 'wide']),
  layer1: z.record(z.string(), z.string()),
  definition: z.unknown(),
  sources: z.array(z.object(contextText)),
  fragments: z.array(z.object({ ...contextText, score: z.number(), lines: lineRange.optional() })),
  entities: z.array(z.unknown()),
  feedback: z.array(z.unknown()),
  /** Of a run that answers a request for changes: what the owner wrote about its proposal. Data to work on, not instructions. */
  changes_requested: z.unknown().optional(),
  totals: z.record(z.string(), z.unknown()),
  dropped: z.array(z.unknown()),
})
export type ContextSnapshot = z.infer<typeof contextSnapshot>

/** Body of `POST /jobs/process`. The payload is checked apart, by its type: a fault in it is 422, a fault out here 400. */
export const processRequest = z
  .object({
    job_id: z.uuid(),
    job_type: z.string().min(1).max(64),
    payload: z.record(z.string(), z.unknown()),
    context: z
      .object({
        memory_snapshot_url: z.string().max(4096),
        entity_refs: z.array(z.string().max(128)).max(50),
      })
      .strict(),
    callback: z.string().max(4096),
    write_token: z.string().min(1).max(4096),
  })
  .strict()
export type ProcessRequest = z.infer<typeof processRequest>

export const processAccepted = z.object({
  accepted: z.literal(true),
  job_id: z.uuid(),
  estimated_seconds: z.number(),
  artifact_id: z.string().optional(),
  artifact_url: z.string().optional(),
})
export type ProcessAccepted = z.infer<typeof processAccepted>

/** Codes that the backend reports; all but VALIDATION_ERROR may be retried ([jobs#J8], [jobs#J9]). */
export const NLM_ERROR_CODES = [
  'RATE_LIMIT',
  'CONTEXT_TIMEOUT',
  'VALIDATION_ERROR',
  'NLM_UNAVAILABLE',
  'STRUCTURE_ERROR',
] as const
export type NlmErrorCode = (typeof NLM_ERROR_CODES)[number]

/** An address of a job that a rule forbids to reach: no more of it than its origin. */
export const refusedAddress = z.object({ origin: z.string().max(300), reason: z.string().max(32) })
export type RefusedAddress = z.infer<typeof refusedAddress>

/** The body of a 422: the faults of the job, and of those that are refused addresses the origin and the rule. */
export const nlmFaults = z.object({
  errors: z
    .array(z.object({ field: z.string(), message: z.string(), refused: refusedAddress.optional() }))
    .max(100),
})

/** Answer of `GET /jobs/{id}`. `refused` at the top is the address of a callback that could not be sent for it; `CANCELLED` exists here only, a cancelled job sends no callback. */
export const nlmJobView = z.object({
  job_id: z.uuid(),
  state: z.string(),
  phase_ms: z.record(z.string(), z.number()),
  artifact_id: z.string().optional(),
  artifact_url: z.string().optional(),
  error: z
    .object({
      code: z.enum([...NLM_ERROR_CODES, 'CANCELLED']),
      message: z.string(),
      refused: z.array(refusedAddress).max(100).optional(),
    })
    .optional(),
  refused: z.array(refusedAddress).max(100).optional(),
})
export type NlmJobView = z.infer<typeof nlmJobView>

/** Body of the callback: a report, never content. */
export const nlmCallback = z
  .object({
    job_id: z.uuid(),
    status: z.enum(['COMPLETE', 'FAILED']),
    artifact_id: z.string().max(64).optional(),
    artifact_url: z.string().max(4096).optional(),
    error: z
      .object({ code: z.enum(NLM_ERROR_CODES), message: z.string().max(2000) })
      .strict()
      .optional(),
  })
  .strict()
export type NlmCallback = z.infer<typeof nlmCallback>

/** Body of `PATCH /jobs/{id}/status`: how far the backend is with its own job, or that it failed. */
export const nlmStatusReport = z.union([
  z.object({ phase: z.string().regex(/^[A-Z][A-Z_]{0,31}$/) }).strict(),
  z
    .object({
      status: z.literal('FAILED'),
      code: z.enum(NLM_ERROR_CODES),
      message: z.string().max(2000).default('The NotebookLM Backend reported an error.'),
    })
    .strict(),
])

export const nlmHealth = z.object({
  status: z.enum(['ok', 'degraded', 'starting']),
  version: z.string(),
  jobs_processed: z.number(),
  uptime_seconds: z.number(),
  queue_depth: z.number(),
  minio_connected: z.boolean(),
  nlm_connected: z.boolean(),
  engine: z.string(),
})
export type NlmHealth = z.infer<typeof nlmHealth>
