import sql from 'sql-template-tag'
import { questionMachine } from '#domain/run/question.machine.ts'
import { QUESTION_OPEN } from '#domain/run/question.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import { state } from '#server/ledger/states.ts'
import type { PersonQuestion } from '#server/ports/agent-executor.ts'
import { redactText } from '#server/redaction/redact.ts'

/** The state of a question that waits for an answer, inside SQL. */
export const IN_OPEN = state(questionMachine, QUESTION_OPEN)

export type QuestionRow = Row<'run_question'>

export async function readQuestion(db: Db, questionId: string): Promise<QuestionRow | null> {
  const { rows } = await db.query<QuestionRow>(
    sql`SELECT * FROM run_question WHERE question_id = ${questionId}`,
  )
  return rows[0] ?? null
}

/** The same question with the same choices, as a person answered it in this run. */
export async function readPersonsAnswer(
  db: Db,
  runId: string,
  { text, choices = [] }: PersonQuestion,
): Promise<QuestionRow | null> {
  const { rows } = await db.query<QuestionRow>(sql`SELECT * FROM run_question
    WHERE run_id = ${runId} AND text = ${redactText(text)} AND choices = ${choices.map(redactText)}::text[]
      AND answered_by IS NOT NULL
    ORDER BY call_index LIMIT 1`)
  return rows[0] ?? null
}

/** How many questions the run has asked. */
export async function countQuestions(db: Db, runId: string): Promise<number> {
  const { rows } = await db.query<{ n: number }>(
    sql`SELECT count(*)::int AS n FROM run_question WHERE run_id = ${runId}`,
  )
  return rows[0]?.n ?? 0
}
