import sql, { empty, type Sql } from 'sql-template-tag'
import type { QuestionListInput, QuestionView } from '#contracts/question.contract.ts'
import { questionMachine } from '#domain/run/question.machine.ts'
import { runTitle } from '#domain/run/run.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import { prepared } from '#server/ledger/prepared.ts'
import { columns, type Row } from '#server/ledger/rows.ts'
import { state } from '#server/ledger/states.ts'
import { IN_OPEN } from './question-row.ts'

const NAMES = [
  'question_id',
  'status',
  'run_id',
  'agent_slug',
  'text',
  'choices',
  'default_answer',
  'asked_at',
  'expires_at',
  'answer',
  'answered_by',
  'answered_at',
] as const
type Found = Row<'run_question', (typeof NAMES)[number]> & {
  agent_name: string
  params: Record<string, unknown>
}

const select = (rest: Sql): Sql =>
  sql`SELECT ${columns('run_question', 'q', NAMES)}, a.name AS agent_name, r.params
    FROM run_question q JOIN run r ON r.run_id = q.run_id JOIN agent a ON a.slug = q.agent_slug ${rest}`

function view({ params, ...question }: Found): QuestionView {
  const { asked_at, expires_at, answered_at } = question
  return {
    ...question,
    run_title: runTitle(params),
    asked_at: asked_at.toISOString(),
    expires_at: expires_at.toISOString(),
    answered_at: answered_at?.toISOString() ?? null,
  }
}

/** The newest questions: of one run, in one state, or all. */
export async function listQuestions(
  db: Db,
  { status, run_id, limit }: QuestionListInput,
): Promise<QuestionView[]> {
  const ofRun = run_id ? sql` AND q.run_id = ${run_id}` : empty
  const inState = status ? sql` AND q.status = ${state(questionMachine, status)}` : empty
  const { rows } = await db.query<Found>(
    select(sql`WHERE true${ofRun}${inState} ORDER BY q.asked_at DESC, q.question_id DESC LIMIT ${limit}`),
  )
  return rows.map(view)
}

/** What waits for an answer, the next to expire first. */
export async function openQuestions(db: Db, limit: number): Promise<QuestionView[]> {
  const { rows } = await db.query<Found>(
    prepared(select(sql`WHERE q.status = ${IN_OPEN} ORDER BY q.expires_at, q.question_id LIMIT ${limit}`)),
  )
  return rows.map(view)
}

export async function getQuestion(db: Db, questionId: string): Promise<QuestionView | null> {
  const { rows } = await db.query<Found>(select(sql`WHERE q.question_id = ${questionId}`))
  return rows[0] ? view(rows[0]) : null
}
