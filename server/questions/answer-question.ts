/**
 * The owner answers a question ([questions#I-Q1]): one guarded statement that wants the question open, in time, and its run able to go on; the answer, its
 * audit event and the message to the workers commit together. Whoever comes second is told who was first.
 */
import sql from 'sql-template-tag'
import type { QuestionAnswerInput, QuestionView } from '#contracts/question.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { choiceOf, repliedText } from '#domain/run/question.rules.ts'
import { runMachine } from '#domain/run/run.machine.ts'
import { RUNNING } from '#domain/run/run.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import { recordEvent } from '#server/ledger/record-event.ts'
import { state } from '#server/ledger/states.ts'
import { transition } from '#server/ledger/transition.ts'
import { redactText } from '#server/redaction/redact.ts'
import type { Services } from '#server/services.ts'
import { getQuestion } from './list-questions.query.ts'
import { type QuestionRow, readQuestion } from './question-row.ts'

type Parts = Pick<Services, 'db'>

const NOT_FOUND = { code: 'NOT_FOUND', message: 'There is no such question.' } as const

/** Rows of the question may be read first: what was asked never changes. */
export async function answerQuestion(
  { db }: Parts,
  { question_id, ...reply }: QuestionAnswerInput,
  caller: Caller,
): Promise<Result<QuestionView>> {
  const question = await readQuestion(db, question_id)
  if (!question) return refuse(NOT_FOUND)
  const said = repliedText(question, reply)
  if (said === null) return refuse(noSuchChoice)
  const text = redactText(said)
  const [moved] = await transition(db, {
    machine: 'run_question',
    event: 'answer',
    actor: caller,
    where: sql`o.question_id = ${question_id} AND o.expires_at > clock_timestamp() AND EXISTS (SELECT 1 FROM run r
      WHERE r.run_id = o.run_id AND r.status = ${state(runMachine, RUNNING)} AND r.cancel_requested IS NULL)`,
    set: sql`answer = ${text}, answered_by = ${caller.identity}, answered_at = clock_timestamp()`,
    details: { choice: choiceOf(question, text), answer: text },
    returning: ['question_id'],
  })
  if (!moved) return closed(db, question_id, caller)
  const answered = await getQuestion(db, question_id)
  return answered ? ok(answered) : refuse(NOT_FOUND)
}

const noSuchChoice = {
  code: 'VALIDATION_FAILED',
  message: 'The question has no such choice.',
  details: [{ field: 'choice', message: 'is none of the offered answers' }],
} as const

/** Why there is nothing to answer, recorded as a refusal. */
async function closed(db: Db, questionId: string, caller: Caller): Promise<Result<never>> {
  const question = await readQuestion(db, questionId)
  if (!question) return refuse(NOT_FOUND)
  const { status, run_id, agent_slug, answered_by, answered_at } = question
  await recordEvent(db, {
    name: 'question.answered',
    actor: caller,
    outcome: 'refused',
    errorCode: 'QUESTION_CLOSED',
    resource: { type: 'question', id: questionId },
    refs: { run_id, agent: agent_slug },
  })
  return refuse({
    code: 'QUESTION_CLOSED',
    message: whyClosed(question),
    details: { status, answered_by, answered_at: answered_at?.toISOString() ?? null },
  })
}

function whyClosed({ status, answered_by }: QuestionRow): string {
  if (status === 'answered') return `The question was already answered by ${answered_by}.`
  if (status === 'withdrawn') return 'The run has ended, so the question is withdrawn.'
  return status === 'expired' ? 'The question has expired.' : 'The question can no longer be answered.'
}
