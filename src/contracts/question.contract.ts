import { z } from 'zod'
import { PATTERNS } from '#domain/kernel/ids.ts'
import { questionMachine } from '#domain/run/question.machine.ts'
import { QUESTION_LIMITS } from '#domain/run/question.rules.ts'

/** Questions that runs ask of a person ([questions#purpose]). Times are ISO 8601 UTC. */
const time = z.string()

export const questionView = z
  .object({
    question_id: z.string(),
    status: z.enum(questionMachine.states),
    run_id: z.string(),
    agent_slug: z.string(),
    agent_name: z.string(),
    /** What the run is about, shortened; empty when its params hold no text. */
    run_title: z.string(),
    text: z.string(),
    choices: z.array(z.string()),
    default_answer: z.string().nullable(),
    asked_at: time,
    expires_at: time,
    answer: z.string().nullable(),
    /** Null where nobody did: the default was taken. */
    answered_by: z.string().nullable(),
    answered_at: time.nullable(),
  })
  .strict()
export type QuestionView = z.infer<typeof questionView>

const questionId = z.string().regex(PATTERNS.job)
export const questionRef = z.object({ question_id: questionId }).strict()

export const questionListInput = z
  .object({
    status: z.enum(questionMachine.states).optional(),
    run_id: z.string().regex(PATTERNS.run).optional(),
    limit: z.coerce.number().int().min(1).max(100).default(50),
  })
  .strict()
export type QuestionListInput = z.output<typeof questionListInput>
export const questionList = z.object({ items: z.array(questionView) }).strict()

/** One of the offered answers by its number, from 1, or words of one's own. */
export const questionAnswerInput = questionRef
  .extend({
    choice: z.number().int().min(1).max(QUESTION_LIMITS.maxChoices).optional(),
    text: z.string().trim().min(1).max(QUESTION_LIMITS.answerChars).optional(),
  })
  .refine(({ choice, text }) => (choice === undefined) !== (text === undefined), {
    path: ['text'],
    message: 'needs either a choice or a text',
  })
export type QuestionAnswerInput = z.output<typeof questionAnswerInput>
