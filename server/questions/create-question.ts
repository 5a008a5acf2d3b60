import sql from 'sql-template-tag'
import type { Caller } from '#domain/authority/caller.ts'
import { QUESTION_LIMITS } from '#domain/run/question.rules.ts'
import { fromNow } from '#server/ledger/clock.ts'
import { create } from '#server/ledger/create.ts'
import type { Db } from '#server/ledger/database.ts'
import type { PersonQuestion } from '#server/ports/agent-executor.ts'
import { redactText } from '#server/redaction/redact.ts'

const HOUR = 3_600

export type NewQuestion = {
  questionId: string
  runId: string
  agentSlug: string
  callIndex: number
  asked: PersonQuestion
}

/** Writes the question of a run, in the caller's transaction; one that is there already stays as it is. */
export async function createQuestion(
  tx: Db,
  { questionId, runId, agentSlug, callIndex, asked }: NewQuestion,
  actor: Caller,
): Promise<void> {
  const { text, choices = [], expires_in_hours = QUESTION_LIMITS.defaultHours } = asked
  await create(tx, {
    machine: 'run_question',
    actor,
    values: {
      question_id: questionId,
      run_id: runId,
      agent_slug: agentSlug,
      call_index: callIndex,
      text: redactText(text),
      choices: sql`${choices.map(redactText)}::text[]`,
      default_answer: asked.default === undefined ? null : redactText(asked.default),
      expires_at: fromNow(expires_in_hours * HOUR),
    },
    details: { choices: choices.length, has_default: asked.default !== undefined },
  })
}
