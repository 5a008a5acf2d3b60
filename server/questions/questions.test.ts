/** A run asks, is parked, and goes on with the answer: over real workers, a restart being another instance over the same ledger. */
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { changesRequested } from '#contracts/change-request.contract.ts'
import { requestChanges } from '#server/inbox/request-changes.ts'
import { type Db, openDatabase } from '#server/ledger/database.ts'
import type { ExecutorInput } from '#server/ports/agent-executor.ts'
import { currentContent, standingAgainst } from '#server/proposals/current-content.ts'
import { reviewDigest } from '#server/proposals/digests.ts'
import type { ProposalRow } from '#server/proposals/proposal-row.ts'
import { cancelRun } from '#server/runs/cancel-run.ts'
import { enqueueRuns } from '#server/runs/enqueue-runs.ts'
import { handOverRuns } from '#server/runs/hand-over-runs.ts'
import { projectRun } from '#server/runs/project-run.ts'
import { type RunRow, readCalls, readRun, readSteps } from '#server/runs/run-row.ts'
import {
  ask,
  type Harness,
  OWNER,
  openHarness,
  patiently,
  status,
  storedObject,
  tick,
  until,
  type Worker,
} from '#server/runs/testing/harness.ts'
import { askAndPropose, noteProposal, outputOf } from '#server/runs/testing/run-kit.ts'
import { answerQuestion } from './answer-question.ts'
import { expireQuestions } from './expire-questions.ts'
import { listQuestions, openQuestions } from './list-questions.query.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

let h: Harness
let worker: Worker
let admin: ReturnType<typeof openDatabase>
beforeAll(async () => {
  h = await openHarness(['scout', 'keeper', 'mute', 'lost'])
  admin = openDatabase(h.ownerUrl, { connections: 1 })
  worker = await h.worker({ execute })
})
afterAll(async () => {
  await admin?.close()
  await h?.close()
})

/** Asks which bed, and proposes a note about it; or asks a job, as other agents do. */
async function execute(input: ExecutorInput) {
  return input.params.job ? askAndPropose(input) : askAndWrite(input)
}

async function askAndWrite({ tools, params, context }: ExecutorInput) {
  const chosen = await tools['ask-person']({
    text: 'Which bed?',
    choices: ['North', 'South', ...(params.choice ? [String(params.choice)] : [])],
    ...(params.default ? { default: String(params.default) } : {}),
  })
  const asked = changesRequested.pick({ note: true }).safeParse(context.changes_requested).data?.note ?? ''
  const note = noteProposal(`bed-${params.tag}`, `# ${chosen.text}\n${asked}`)
  await tools['create-proposal'](note)
  return outputOf({ proposals: [note] })
}

const parked = (run: RunRow) => run.parked_at !== null
const db = (): Db => h.kit.db
/** A run that has asked; its question's id. */
async function asked(slug: string, params: Record<string, string> = {}) {
  const runId = await ask(h.kit, slug, { tag: slug, ...params })
  const run = await until(worker, runId, parked)
  await patiently(() => !worker.supervisor.activeRuns().includes(runId))
  return { runId, run, questionId: run.waiting_on?.id ?? '' }
}
const answer = (question_id: string, reply: { choice?: number; text?: string }) =>
  db().transaction((tx) => answerQuestion({ db: tx }, { question_id, ...reply }, OWNER))
const questionsOf = (run_id: string) => listQuestions(db(), { run_id, limit: 50 })
const eventsOf = async (questionId: string) =>
  (
    await db().query<{ name: string; outcome: string; details: Record<string, unknown> }>(
      sql`SELECT name, outcome, details FROM event WHERE resource_type = 'question' AND resource_id = ${questionId} ORDER BY id`,
    )
  ).rows
const lateBy = (hours: number, runId: string) =>
  db().query(sql`UPDATE run SET started_at = started_at - make_interval(hours => ${hours}),
    parked_at = parked_at - make_interval(hours => ${hours}) WHERE run_id = ${runId}`)
/** As if nobody had answered until now; what a question is settled with is changed by the owner of the schema alone. */
const overdue = (questionId: string) =>
  admin.query(sql`UPDATE run_question SET expires_at = clock_timestamp() WHERE question_id = ${questionId}`)

test('a question parks its run over a restart, and its answer resumes it once', async () => {
  const { runId, run, questionId } = await asked('scout')
  expect(run).toMatchObject({
    status: 'running',
    waiting_on: { kind: 'question', id: questionId },
    lease_holder: null,
    lease_expires_at: null,
  })
  expect(await openQuestions(db(), 5)).toMatchObject([
    {
      question_id: questionId,
      run_id: runId,
      agent_slug: 'scout',
      text: 'Which bed?',
      choices: ['North', 'South'],
    },
  ])
  await projectRun(h.kit, runId)
  expect(await storedObject(h.kit, 'scout', runId, 'status.json')).toMatchObject({
    status: 'running',
    waiting_on: { kind: 'question' },
    parked_at: expect.any(String),
  })

  // The lane is free: another run of the agent passes by, and its question is its own.
  const next = await asked('scout', { tag: 'next' })
  expect((await answer(next.questionId, { text: 'Neither' })).ok).toBe(true)
  await until(worker, next.runId, status('completed'))

  await h.retire(worker)
  await lateBy(50, runId)
  const others = await Promise.all([h.worker({ execute }), h.worker({ execute })])
  worker = others[0] as Worker
  for (const other of others) await tick(other)
  expect(await readRun(db(), runId)).toMatchObject({
    fence: run.fence,
    resumes: 0,
    parked_at: expect.any(Date),
  })

  const replies = await Promise.all([
    answer(questionId, { choice: 2 }),
    answer(questionId, { text: 'North' }),
  ])
  const [won, lost] = replies[0]?.ok ? replies : replies.toReversed()
  expect(won).toMatchObject({ ok: true, value: { status: 'answered', answered_by: 'owner' } })
  expect(lost).toMatchObject({
    ok: false,
    refusal: { code: 'QUESTION_CLOSED', details: { status: 'answered', answered_by: 'owner' } },
  })
  await Promise.all(others.map(tick))
  const done = await until(worker, runId, status('completed'))
  expect(done).toMatchObject({ fence: run.fence + 1, resumes: 0, parked_at: null, retries_used: 0 })
  expect(Number(done.parked_ms)).toBeGreaterThan(50 * 3_600_000)

  const said = won?.ok ? won.value.answer : null
  expect(await readCalls(db(), runId)).toMatchObject([
    { tool: 'ask-person', outcome: { value: { text: said, by: { kind: 'person', identity: 'owner' } } } },
    { tool: 'create-proposal' },
  ])
  expect((await readSteps(db(), runId))[1]?.output).toMatchObject({
    answers: [{ question: 'Which bed?', text: said, by: { kind: 'person', identity: 'owner' } }],
  })
  expect((await db().query(sql`SELECT 1 FROM proposal WHERE run_id = ${runId}`)).rows).toHaveLength(1)
  expect(await eventsOf(questionId)).toMatchObject([
    { name: 'question.asked', details: { choices: 2, has_default: false } },
    { name: 'question.answered', outcome: 'ok', details: { answer: said } },
    { name: 'question.answered', outcome: 'refused' },
  ])
})

describe('a question that nobody answers', () => {
  test('is answered by its default, and the audit says so', async () => {
    const { runId, questionId } = await asked('keeper', { default: 'South' })
    await overdue(questionId)
    expect(await answer(questionId, { choice: 1 })).toMatchObject({ refusal: { code: 'QUESTION_CLOSED' } })
    await tick(worker)
    expect((await readRun(db(), runId))?.parked_at).not.toBeNull()
    expect(await expireQuestions({ db: db() })).toBe(1)
    await until(worker, runId, status('completed'))
    expect((await readCalls(db(), runId))[0]?.outcome).toMatchObject({
      value: { text: 'South', choice: 2, by: { kind: 'default' } },
    })
    expect((await eventsOf(questionId)).at(-1)).toMatchObject({
      name: 'question.expired',
      details: { by_default: true, answer: 'South' },
    })
  })

  test('fails its run where there is no default, which is not the agent’s failure', async () => {
    const { runId, questionId } = await asked('mute')
    await overdue(questionId)
    await expireQuestions({ db: db() })
    const run = await until(worker, runId, status('failed'))
    expect(run.error).toMatchObject({ code: 'QUESTION_EXPIRED', step: 2 })
    const { rows } = await db().query(sql`SELECT failed_in_row FROM agent WHERE slug = 'mute'`)
    expect(rows).toEqual([{ failed_in_row: 0 }])
    expect((await eventsOf(questionId)).at(-1)).toMatchObject({ details: { by_default: false } })
  })
})

test('a parked run is cancelled at once, with its question, whose choices hold no secret', async () => {
  const secret = 'Bearer abcdefghijklmnopqrstuvwxyz'
  const { runId, questionId } = await asked('lost', { choice: secret, default: secret })
  const { rows } = await db().query(
    sql`SELECT to_jsonb(q)::text AS stored FROM run_question q WHERE question_id = ${questionId}`,
  )
  expect(rows[0]?.stored).not.toContain('abcdefghijkl')
  const cancelled = await cancelRun(h.kit, { run_id: runId, reason: 'Not needed' }, OWNER)
  expect(cancelled).toMatchObject({ ok: true, value: { status: 'cancelled', cancel_requested: false } })
  expect(await questionsOf(runId)).toMatchObject([{ status: 'withdrawn', answer: null }])
  expect(await answer(questionId, { choice: 1 })).toMatchObject({
    refusal: { code: 'QUESTION_CLOSED', details: { status: 'withdrawn' } },
  })
  await tick(worker)
  expect(await readRun(db(), runId)).toMatchObject({ status: 'cancelled', lease_holder: null })
})

test('an answered run waits for its agent’s lane', async () => {
  const { runId, questionId } = await asked('scout', { tag: 'waits' })
  const busy = await ask(h.kit, 'scout', { tag: 'busy', job: 'first' })
  await until(worker, busy, (run) => run.waiting_on?.kind === 'job', { jobs: 'leave' })
  await answer(questionId, { choice: 1 })
  await tick(worker)
  await tick(worker)
  expect((await readRun(db(), runId))?.parked_at).not.toBeNull()
  await until(worker, busy, status('completed'))
  await until(worker, runId, status('completed'))
})

test('an answered run goes before the queue of its agent, whoever starts runs', async () => {
  const { runId, questionId } = await asked('lost', { tag: 'first' })
  await answer(questionId, { choice: 1 })
  const queued = await ask(h.kit, 'lost', { tag: 'second' })
  await handOverRuns(h.kit)
  expect((await enqueueRuns(h.kit, 10)).started).toEqual([])
  await until(worker, runId, status('completed'))
  await until(worker, queued, parked)
})

test('a choice that is none, and a question that is none, are refused without a trace', async () => {
  const { questionId } = await asked('keeper', { tag: 'choice' })
  expect(await answer(questionId, { choice: 3 })).toMatchObject({ refusal: { code: 'VALIDATION_FAILED' } })
  expect(await answer(crypto.randomUUID(), { choice: 1 })).toMatchObject({ refusal: { code: 'NOT_FOUND' } })
  expect(await eventsOf(questionId)).toHaveLength(1)
})

test('who reworks a proposal is not asked again what a person answered', async () => {
  const first = await asked('keeper', { tag: 'reworked' })
  await answer(first.questionId, { choice: 2 })
  await until(worker, first.runId, status('completed'))
  let runId = first.runId
  for (const round of [1, 2]) {
    runId = await reworked(runId, `Say more, ${round}.`)
    await until(worker, runId, status('completed'))
    expect(await questionsOf(runId)).toEqual([])
    expect((await readCalls(db(), runId))[0]).toMatchObject({
      tool: 'ask-person',
      outcome: { value: { question_id: first.questionId, text: 'South', by: { identity: 'owner' } } },
    })
  }
})

/** The owner requests changes of the run's proposal; the run that answers. */
async function reworked(runId: string, note: string): Promise<string> {
  const { rows } = await db().query<ProposalRow>(sql`SELECT * FROM proposal WHERE run_id = ${runId}`)
  const [row] = rows as [ProposalRow]
  const review_digest = reviewDigest(
    row,
    await standingAgainst(await currentContent(h.kit.garden), row.changes),
  )
  const input = { proposal_id: row.proposal_id, review_digest, comments: [], note, with_siblings: false }
  const sent = await requestChanges({ ...h.kit, env: h.kit.env } as never, input, OWNER)
  if (!sent.ok) throw new Error(sent.refusal.message)
  return sent.value.runId
}
