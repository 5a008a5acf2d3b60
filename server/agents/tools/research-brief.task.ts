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
  type PersonAnswer,
  type ProposedChange,
  type TaskResult,
  ToolFailure,
} from '#server/ports/agent-executor.ts'
import { languageOf, type QuestionLanguage } from '#server/retrieval/question.ts'
import { fits, freePath, head, oneLine, slugOf } from './draft-output.ts'
import { NO_MODEL, NOTE_TEMPLATES } from './note-templates.ts'
import { type BriefNote, citationsOf, renderBrief } from './render-brief.ts'
import { askForOtherWords, askWhatToLookFor, mayAsk, narrowed, saidBy } from './research-questions.ts'
import { revisionOf } from './revision.ts'

/**
 * Task `research-brief`: asks the NotebookLM Backend the question of the run, and proposes the brief as a new note.
 *
 * Parameters: `question` (1–50 KB), and optionally `language` and `max_sections`. A run without a question, such as a scheduled one,
 * asks what the definition's instructions ask. What is missing it asks of a person, where the definition lets it (research-questions.ts). Where
 * the brief found nothing, no note is proposed: an empty note would only cost its reader time. Where the owner asked for changes her words are
 * looked for, too, and the brief takes the place of the one that she reviewed. A brief that is too long for one output is shortened to its best
 * sections.
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
  if (!given.success) throw withoutQuestion()
  const begun = await begin(input, given.data)
  const asked = await narrowed(input, begun.question)
  const answers = [...begun.answers, ...asked.answers]
  const first = await briefOn(input, { ...given.data, question: asked.question, sources: asked.sources })
  const other = first.brief.sources.length === 0 ? await askForOtherWords(input, asked.question) : null
  if (!other) return proposed(input, { ...first, answers })
  const second = await briefOn(input, { ...given.data, question: other.text })
  const jobs = [...first.jobs, ...second.jobs]
  const artifacts = [...first.artifacts, ...second.artifacts]
  return proposed(input, { ...second, jobs, artifacts, answers: [...answers, other] })
}

const withoutQuestion = () =>
  new ToolFailure(
    'OUTPUT_INVALID',
    'The run needs a question of at most 50 KB, or instructions that say what to look for.',
  )

type Params = z.infer<typeof params>

/** The question of the run, else of its instructions, else of a person. */
async function begin(
  input: ExecutorInput,
  given: Params,
): Promise<{ question: string; answers: PersonAnswer[] }> {
  const question = given.question ?? questionIn(input.definition.body)
  if (question !== '') return { question, answers: [] }
  if (!mayAsk(input)) throw withoutQuestion()
  const answer = await askWhatToLookFor(input, given.language ?? 'en')
  return { question: answer.text, answers: [answer] }
}

type Query = Omit<Params, 'question'> & { question: string; sources?: { ref: string }[] | undefined }
type Found = {
  question: string
  artifactId: string
  brief: z.infer<typeof answered>
  language: QuestionLanguage
  jobs: string[]
  artifacts: string[]
}

/** Asks the NotebookLM Backend; where the words of a request for changes lead nowhere, by the question alone. */
async function briefOn(input: ExecutorInput, query: Query): Promise<Found> {
  const revised = revisionOf(input.context)
  if (!revised) return askedOf(input, query, query.question)
  const first = await askedOf(input, query, `${query.question}\n${revised.words}`)
  if (first.brief.sources.length > 0) return first
  const alone = await askedOf(input, query, query.question)
  const [jobs, artifacts] = [first.jobs.concat(alone.jobs), first.artifacts.concat(alone.artifacts)]
  return { ...alone, jobs, artifacts }
}

/** A brief of what is asked, on the question that it is about. */
async function askedOf(
  input: ExecutorInput,
  { question, language, max_sections, sources }: Query,
  words: string,
): Promise<Found> {
  const asked = {
    question: words,
    ...(sources ? { sources } : {}),
    ...(language ? { language } : {}),
    ...(max_sections ? { max_sections } : {}),
  }
  const { job_id, artifact_id, ...rest } = await input.tools['notebooklm-query'](asked)
  const brief = answered.safeParse(rest)
  if (!brief.success)
    throw new ToolFailure('OUTPUT_INVALID', `The artifact ${artifact_id} is no research brief.`)
  const ids = { artifactId: artifact_id, jobs: [job_id], artifacts: [artifact_id] }
  return { question, brief: brief.data, language: language ?? languageOf(question), ...ids }
}

/** The brief as a new note; nothing where it found nothing. */
async function proposed(
  input: ExecutorInput,
  { question, brief, language, artifactId, jobs, artifacts, answers }: Found & { answers: PersonAnswer[] },
): Promise<TaskResult> {
  const done = { jobs, artifacts, grounding: brief.grounding }
  if (brief.sources.length === 0) {
    const summary = `No passage of the garden speaks of the question (${NO_MODEL}).`
    return { ...done, summary, proposals: [] }
  }
  const base = `research/${slugOf(question)}-${input.today}`
  const taken = await input.tools['read-notes']({
    paths: [1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => (n === 1 ? `${base}.md` : `${base}-${n}.md`)),
  })
  const revised = revisionOf(input.context)
  const path = revised?.path ?? freePath(base, new Set(taken.notes.map((n) => n.path)))
  // The comments were looked for, and are no part of what the note is about.
  const content = revised ? { ...brief.content, title: oneLine(question, 300) } : brief.content
  const note: BriefNote = { artifactId, ...brief, content, language, today: input.today }
  const proposal = proposalOf(note, { question, path, said: saidBy(answers, language) })
  await input.tools['create-proposal'](proposal)
  const { grounded_claims, claims } = brief.grounding
  const summary = `Research brief with ${brief.sources.length} citations, ${grounded_claims} of ${claims} sentences grounded (${NO_MODEL}).`
  return { ...done, summary, proposals: [proposal] }
}

const INSTRUCTION_CHARS = 1_000
/** The instructions as a question: their prose without headings, shortened. */
const questionIn = (body: string): string => oneLine(body.replace(/^#.*$/gmu, ''), INSTRUCTION_CHARS)

/** The largest form of the note that fits into one output. */
function proposalOf(
  note: BriefNote,
  { question, path, said }: { question: string; path: string; said: string },
): ProposedChange {
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
        reasoning: [
          words.reasoning(head(question, 2000), note.artifactId, note.sources.length, refs.size),
          ...(said === '' ? [] : [said]),
        ].join('\n\n'),
        citations: citationsOf(note.sources, chars),
      }
      if (fits([last])) return last
    }
  }
  throw new ToolFailure('OUTPUT_INVALID', 'The brief is too long for one output.')
}
