/**
 * The tool `ask-person`: the question's id follows from the run and the call, it is written in one transaction with the journal's line, and while it is open
 * the call throws WaitingForAnswer, which parks the run ([questions#how-a-run-waits]).
 */
import { choiceOf, QUESTION_LIMITS, QUESTION_OPEN } from '#domain/run/question.rules.ts'
import { reviewedRunOf } from '#server/contexts/changes-requested.ts'
import type { Db } from '#server/ledger/database.ts'
import {
  type PersonAnswer,
  personQuestion,
  type ToolCall,
  ToolFailure,
  type ToolInput,
  WaitingForAnswer,
} from '#server/ports/agent-executor.ts'
import { createQuestion } from '#server/questions/create-question.ts'
import {
  countQuestions,
  type QuestionRow,
  readPersonsAnswer,
  readQuestion,
} from '#server/questions/question-row.ts'
import { agentCaller } from './agent-caller.ts'
import { recordWait } from './journal.ts'
import { questionIdOfCall } from './run-ids.ts'
import { type Fenced, FenceLost, type RunParts } from './run-parts.ts'
import type { RunRow } from './run-row.ts'

export async function askPerson(
  parts: RunParts,
  lease: Fenced,
  run: RunRow,
  { input, call }: Pick<Asked, 'input' | 'call'>,
): Promise<PersonAnswer> {
  const questionId = questionIdOfCall(run.run_id, call.index)
  const question =
    (await readQuestion(parts.db, questionId)) ?? (await answeredBefore(parts.db, run.run_id, input))
  if (!question) await ask(parts, lease, run, { input, call, questionId })
  if (!question || question.status === QUESTION_OPEN) throw new WaitingForAnswer(questionId)
  return answerOf(question, lease)
}

/** What a person said to the same question of the run whose proposal this one reworks, or of one before it: nobody is asked twice for one piece of work. */
async function answeredBefore(
  db: Db,
  runId: string,
  input: ToolInput<'ask-person'>,
): Promise<QuestionRow | null> {
  for (let run = await reviewedRunOf(db, runId); run; run = await reviewedRunOf(db, run)) {
    const found = await readPersonsAnswer(db, run, input)
    if (found) return found
  }
  return null
}

type Asked = { input: ToolInput<'ask-person'>; call: ToolCall; questionId: string }

async function ask(
  parts: RunParts,
  lease: Fenced,
  run: RunRow,
  { input, call, questionId }: Asked,
): Promise<void> {
  const asked = personQuestion.safeParse(input)
  if (!asked.success) {
    const [first] = asked.error.issues
    throw new ToolFailure(
      'OUTPUT_INVALID',
      `The question is invalid: ${first?.path.join('.')} ${first?.message}`,
    )
  }
  if ((await countQuestions(parts.db, run.run_id)) >= QUESTION_LIMITS.perRun)
    throw new ToolFailure('BUDGET_EXCEEDED', `The run asked more than ${QUESTION_LIMITS.perRun} questions.`)
  const { run_id: runId, agent_slug: agentSlug } = run
  await parts.db.transaction(async (tx) => {
    await recordWait(tx, lease, call, null)
    const question = { questionId, runId, agentSlug, callIndex: call.index, asked: asked.data }
    await createQuestion(tx, question, agentCaller(agentSlug))
  })
  await parts.failpoint?.('question-asked')
}

function answerOf(question: QuestionRow, lease: Fenced): PersonAnswer {
  const { question_id, answer, answered_by, status } = question
  // The run has ended with its question; whoever still works on it has lost it.
  if (status === 'withdrawn') throw new FenceLost(lease.runId)
  if (answer === null)
    throw new ToolFailure('QUESTION_EXPIRED', `Nobody answered the question in time: ${question.text}`)
  return {
    question_id,
    question: question.text,
    text: answer,
    choice: choiceOf(question, answer),
    by: answered_by === null ? { kind: 'default' } : { kind: 'person', identity: answered_by },
  }
}
