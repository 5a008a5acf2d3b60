import { z } from 'zod'
import {
  artifactSource,
  byteLength,
  grounding,
  LANGUAGES,
  RESEARCH_LIMITS,
  researchBrief,
} from '#contracts/research.contract.ts'
import {
  type ExecutorInput,
  type ProposedChange,
  type TaskResult,
  ToolFailure,
} from '#server/ports/agent-executor.ts'
import { languageOf } from '#server/retrieval/question.ts'
import { fits, freePath, head, oneLine, slugOf } from './draft-output.ts'
import { NO_MODEL, NOTE_TEMPLATES } from './note-templates.ts'
import { type BriefNote, citationsOf, renderBrief } from './render-brief.ts'
import { revisionOf } from './revision.ts'

/**
 * Task `research-brief`: asks the NotebookLM Backend the question of the run, and proposes the brief as a new note.
 *
 * Parameters: `question` (1–50 KB), and optionally `language` and `max_sections`. A run without a question, such as a scheduled one,
 * asks what the definition's instructions ask. Where the brief found nothing, no note is proposed:
 * an empty note would only cost its reader time. Where the owner asked for changes her words are looked for, too, and the brief takes the place of
 * the one that she reviewed. A brief that is too long for one output is shortened to its best sections.
 */
const params = z.object({
  question: z
    .string()
    .trim()
    .min(1)
    .refine((q) => byteLength(q) <= RESEARCH_LIMITS.queryBytes)
    .optional(),
  language: z.enum(LANGUAGES).optional(),
  max_sections: z.number().int().min(1).max(RESEARCH_LIMITS.askedSections).optional(),
})
const answered = z.object({ content: researchBrief, sources: z.array(artifactSource), grounding })

/** From generous to spare: characters of a quote, and how many sections are left out. */
const QUOTE_CHARS = [600, 300, 120] as const

export async function researchBriefTask(input: ExecutorInput): Promise<TaskResult> {
  const given = params.safeParse(input.params)
  const question = given.success ? (given.data.question ?? questionIn(input.definition.body)) : ''
  if (!given.success || question === '')
    throw new ToolFailure(
      'OUTPUT_INVALID',
      'The run needs a question of at most 50 KB, or instructions that say what to look for.',
    )
  const { language, max_sections } = given.data
  const revised = revisionOf(input.context)
  const asked = {
    question: revised ? `${question}\n${revised.words}` : question,
    ...(language ? { language } : {}),
    ...(max_sections ? { max_sections } : {}),
  }
  const { job_id, artifact_id, ...rest } = await input.tools['notebooklm-query'](asked)
  const brief = answered.safeParse(rest)
  if (!brief.success)
    throw new ToolFailure('OUTPUT_INVALID', `The artifact ${artifact_id} is no research brief.`)
  const done = { jobs: [job_id], artifacts: [artifact_id], grounding: brief.data.grounding }
  if (brief.data.sources.length === 0) {
    return {
      ...done,
      summary: `No passage of the garden speaks of the question (${NO_MODEL}).`,
      proposals: [],
    }
  }
  const note: BriefNote = {
    artifactId: artifact_id,
    ...brief.data,
    // The comments were looked for, and are no part of what the note is about.
    ...(revised ? { content: { ...brief.data.content, title: oneLine(question, 300) } } : {}),
    language: language ?? languageOf(question),
    today: input.today,
  }
  const base = `research/${slugOf(question)}-${input.today}`
  const taken = await input.tools['read-notes']({
    paths: [1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => (n === 1 ? `${base}.md` : `${base}-${n}.md`)),
  })
  const path = revised?.path ?? freePath(base, new Set(taken.notes.map((n) => n.path)))
  const proposal = proposalOf(note, question, path)
  await input.tools['create-proposal'](proposal)
  const { grounded_claims, claims } = brief.data.grounding
  const summary = `Research brief with ${brief.data.sources.length} citations, ${grounded_claims} of ${claims} sentences grounded (${NO_MODEL}).`
  return { ...done, summary, proposals: [proposal] }
}

const INSTRUCTION_CHARS = 1_000
/** The instructions as a question: their prose without headings, shortened. */
const questionIn = (body: string): string => oneLine(body.replace(/^#.*$/gmu, ''), INSTRUCTION_CHARS)

/** The largest form of the note that fits into one output. */
function proposalOf(note: BriefNote, question: string, path: string): ProposedChange {
  const words = NOTE_TEMPLATES[note.language]
  const refs = new Set(note.sources.map((s) => s.ref))
  let last: ProposedChange | undefined
  for (let sections = note.content.sections.length; sections > 0; sections--) {
    for (const chars of QUOTE_CHARS) {
      last = {
        action: 'propose-note',
        kind: 'note',
        target: `notes/${path}`,
        diff: { type: 'create', text: renderBrief(note, sections) },
        summary: oneLine(words.summary(note.content.title), 120),
        reasoning: words.reasoning(head(question, 2000), note.artifactId, note.sources.length, refs.size),
        citations: citationsOf(note.sources, chars),
      }
      if (fits([last])) return last
    }
  }
  throw new ToolFailure('OUTPUT_INVALID', 'The brief is too long for one output.')
}
