/**
 * What a research brief asks its owner where the run leaves it without what it needs ([questions#when-the-built-in-engine-asks]). Nothing is asked by
 * a definition that does not list `ask-person`. An answer is used as words to search for and as text to quote, never as an instruction.
 */
import { QUESTION_LIMITS } from '#domain/run/question.rules.ts'
import type { ExecutorInput, PersonAnswer, ToolInput } from '#server/ports/agent-executor.ts'
import { languageOf } from '#server/retrieval/question.ts'
import { ASK_WORDS } from './ask-words.ts'
import { oneLine } from './draft-output.ts'
import { sharedTitle } from './note-in-question.ts'

type Input = Pick<ExecutorInput, 'definition' | 'tools'>
export type Asked = Pick<ToolInput<'notebooklm-query'>, 'question' | 'sources'> & { answers: PersonAnswer[] }

const NEAR = 20
/** One choice is kept for all of them together. */
const MOST_NOTES = QUESTION_LIMITS.maxChoices - 1
const QUOTED = 200

export const mayAsk = ({ definition }: Pick<Input, 'definition'>): boolean =>
  definition.tools.includes('ask-person')

/** What to look for, from a person, where neither the run nor the instructions say. */
export function askWhatToLookFor(
  { definition, tools }: Input,
  language: keyof typeof ASK_WORDS,
): Promise<PersonAnswer> {
  return tools['ask-person']({ text: ASK_WORDS[language].whatToLookFor(definition.slug) })
}

/** The question about one note where the title it names belongs to several. */
export async function narrowed(input: Input, question: string): Promise<Asked> {
  const { definition, tools } = input
  const open = { question, answers: [] }
  if (!mayAsk(input) || !definition.tools.includes('search-notes')) return open
  const { results } = await tools['search-notes']({ query: question, top_k: NEAR })
  const paths = [...new Set(results.map(({ file }) => file))]
  const shared =
    paths.length > 1 ? await sharedTitle(question, (await tools['read-notes']({ paths })).notes) : null
  if (!shared) return open
  const say = ASK_WORDS[languageOf(question)]
  const choices = shared.paths
    .filter((path) => path.length <= QUESTION_LIMITS.choiceChars)
    .slice(0, MOST_NOTES)
  const text = say.whichNote(oneLine(shared.title, QUOTED))
  const answer = await tools['ask-person']({
    text,
    choices: [...choices, say.allOfThem],
    default: say.allOfThem,
  })
  const answers = [answer]
  if (choices.includes(answer.text)) return { question, sources: [{ ref: answer.text }], answers }
  return answer.text === say.allOfThem
    ? { question, answers }
    : { question: `${question} ${answer.text}`, answers }
}

/** Other words for a question that no note speaks of; null to leave it. */
export async function askForOtherWords(input: Input, question: string): Promise<PersonAnswer | null> {
  if (!mayAsk(input)) return null
  const say = ASK_WORDS[languageOf(question)]
  const text = say.nothingFound(oneLine(question, QUOTED))
  const answer = await input.tools['ask-person']({ text, default: say.leaveIt })
  return answer.text === say.leaveIt ? null : answer
}

/** What was asked and answered, a line each, for the reasoning of a proposal. */
export const saidBy = (answers: readonly PersonAnswer[], language: keyof typeof ASK_WORDS): string =>
  answers
    .map(({ question, text, by }) =>
      ASK_WORDS[language].answered(question, oneLine(text, 500), by.kind === 'person' ? by.identity : null),
    )
    .join('\n')
