import { type QuestionState, questionMachine } from './question.machine.ts'

/** The states of a question by what they mean for the code. */
export const QUESTION_OPEN: QuestionState = questionMachine.events.ask.to

/** What an agent may ask, and a person answer ([questions#purpose]). */
export const QUESTION_LIMITS = {
  textChars: 1_000,
  choiceChars: 200,
  minChoices: 2,
  maxChoices: 5,
  answerChars: 2_000,
  defaultHours: 72,
  maxHours: 7 * 24,
  perRun: 3,
} as const

type Asked = { choices: readonly string[]; default_answer: string | null }

/** The answers that a person can give with one key: the choices, and the default where it is none of them and there is a key left. */
export function offeredAnswers({ choices, default_answer }: Asked): string[] {
  const extra = default_answer !== null && !choices.includes(default_answer) ? [default_answer] : []
  return [...choices, ...extra].slice(0, QUESTION_LIMITS.maxChoices)
}

/** What a reply says: the text of the choice that it names, counted from 1, or its own text; null where there is no such choice. */
export function repliedText(question: Asked, reply: { choice?: number; text?: string }): string | null {
  if (reply.choice === undefined) return reply.text ?? null
  return offeredAnswers(question)[reply.choice - 1] ?? null
}

/** Which of the offered answers a text is, counted from 1; null for words of one's own. */
export function choiceOf(question: Asked, text: string): number | null {
  const at = offeredAnswers(question).indexOf(text)
  return at < 0 ? null : at + 1
}
