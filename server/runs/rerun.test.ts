import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { RunRerunInput } from '#contracts/run-commands.contract.ts'
import { ProjectionConflict } from '#server/outbox/projection-fault.ts'
import { compareRuns } from './compare-runs.query.ts'
import { getRun } from './get-run.query.ts'
import { projectRun, stepKey } from './project-run.ts'
import { rerunRun } from './rerun-run.ts'
import { proposalIdOf, runFolder } from './run-ids.ts'
import { readCalls, readRun, readSteps } from './run-row.ts'
import {
  ask,
  expireLease,
  freezeAt,
  type Harness,
  OWNER,
  openHarness,
  patiently,
  status,
  storedObject,
  tick,
  until,
} from './testing/harness.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

const SLUG = 'scout'
let h: Harness
let source: string

beforeAll(async () => {
  h = await openHarness([SLUG])
  source = await ask(h.kit, SLUG, { tag: 'first' })
  await until(h, source, status('completed'))
})
afterAll(() => h.close())

type Wanted = Omit<RunRerunInput, 'reason' | 'run_id'> & { reason?: string }
const ask2 = (of: string, wanted: Wanted) =>
  rerunRun(h.kit, { run_id: of, reason: 'to see whether it holds', ...wanted }, OWNER)

async function rerun(of: string, wanted: Wanted): Promise<string> {
  const made = await ask2(of, wanted)
  if (!made.ok) throw new Error(made.refusal.code)
  return made.value.run_id
}

async function compared(a: string, b: string) {
  const made = await compareRuns(h.kit, { a, b })
  if (!made.ok) throw new Error(made.refusal.code)
  return made.value
}

const bytesOf = async (runId: string, step: number) =>
  Buffer.from((await h.kit.store.get(stepKey(SLUG, runId, step)))?.bytes ?? []).toString()
const countOf = async (table: 'run' | 'proposal' | 'job' | 'inbox_entry') =>
  Number((await h.kit.db.query<{ n: string }>(`SELECT count(*) AS n FROM ${table}` as never)).rows[0]?.n)
const proposalsOf = async (runId: string) =>
  (
    await h.kit.db.query<{ proposal_id: string }>(
      sql`SELECT proposal_id FROM proposal WHERE run_id = ${runId} ORDER BY proposal_id`,
    )
  ).rows.map((row) => row.proposal_id)
const outputOf = async (runId: string, step: number) =>
  (await readSteps(h.kit.db, runId)).find((s) => s.step === step)?.output ?? {}
const stored = (runId: string, name: string) =>
  patiently(async () => {
    const object = await storedObject(h.kit, SLUG, runId, name)
    return object?.status === 'completed' ? object : null
  })

describe('a run is replayed', () => {
  test('from step 03: its first steps byte for byte, and the proposals that were made of them', async () => {
    const before = { proposals: await countOf('proposal'), jobs: await countOf('job') }
    const made = await rerun(source, { from_step: 3 })
    await until(h, made, status('completed'))

    expect(made).not.toBe(source)
    for (const step of [1, 2]) expect(await bytesOf(made, step)).toBe(await bytesOf(source, step))
    expect(await bytesOf(made, 2)).toContain(`"executed_by_run":"${source}"`)
    const ids = await proposalsOf(source)
    expect(ids).toHaveLength(2)
    expect(await outputOf(made, 3)).toEqual({ created: [], refused: [], reused: expect.arrayContaining(ids) })
    expect({ proposals: await countOf('proposal'), jobs: await countOf('job') }).toEqual(before)
    expect(await readCalls(h.kit.db, made)).toEqual([])

    const replay = { replay_of: source, from_step: 3, reused_steps: [1, 2] }
    expect(await stored(made, 'status.json')).toMatchObject({ ...replay, trigger: 'rerun' })
    expect(await stored(made, 'manifest.json')).toMatchObject({
      replay_of: source,
      reused_steps: [1, 2],
      tokens_used: { input: 0, output: 0 },
      step_durations: { '01': 0, '02': 0 },
    })
  })

  test('from step 02: the context is kept, and the agent executed anew', async () => {
    const made = await rerun(source, { from_step: 2 })
    await until(h, made, status('completed'))
    const { first_difference, context, proposals, steps } = await compared(source, made)
    expect([new Set(context.map((e) => e.state)), steps[1]?.first_difference]).toEqual([
      new Set(['same']),
      null,
    ])
    expect(proposals.map((p) => [p.state, p.b?.refused])).toEqual(Array(2).fill(['same', 'DUPLICATE_ENTRY']))
    expect(first_difference).toMatchObject({ part: 'step', step: 3, path: 'created[0]' })
    expect(await bytesOf(made, 1)).toBe(await bytesOf(source, 1))
    expect((await readSteps(h.kit.db, made)).map((s) => s.executed_by_run)).toEqual([
      source,
      null,
      null,
      null,
    ])
    expect((await readCalls(h.kit.db, made)).length).toBe((await readCalls(h.kit.db, source)).length)
    const [run, of] = [await readRun(h.kit.db, made), await readRun(h.kit.db, source)]
    expect([run?.definition_sha256, run?.agent_version, run?.params]).toEqual([
      of?.definition_sha256,
      of?.agent_version,
      of?.params,
    ])
  })

  test('from step 01 with other parameters: nothing is reused', async () => {
    const params = { question: 'What grows in the south bed?', tag: 'other' }
    const made = await rerun(source, { from_step: 1, params })
    await until(h, made, status('completed'))
    const side = await compared(source, made)
    expect(side.first_difference).toEqual({
      part: 'params',
      step: null,
      path: 'question',
      a: 'What grows in the north bed?',
      b: params.question,
    })
    expect(side.params.map((p) => [p.name, p.state])).toEqual([
      ['question', 'changed'],
      ['tag', 'changed'],
    ])
    expect(side.proposals.map((p) => p.state).sort()).toEqual(['left', 'left', 'right', 'right'])
    expect((await readSteps(h.kit.db, made)).map((s) => s.executed_by_run)).toEqual(Array(4).fill(null))
    expect(await readRun(h.kit.db, made)).toMatchObject({ params, replay_of: source, from_step: 1 })
    expect(await proposalsOf(made)).toHaveLength(2)
  })

  test('twice over: the steps name the run that executed them, and both show what they are', async () => {
    const once = await rerun(source, { from_step: 3, reason: 'one more look' })
    await until(h, once, status('completed'))
    const twice = await rerun(once, { from_step: 3 })
    await until(h, twice, status('completed'))
    expect(await bytesOf(twice, 2)).toBe(await bytesOf(source, 2))
    const [view, of] = [await getRun(h.kit, twice), await getRun(h.kit, once)]
    expect(view).toMatchObject({ replay_of: once, from_step: 3, rerunnable_from: [1, 2, 3] })
    expect(view?.steps.map((s) => s.executed_by_run)).toEqual([source, source, null, null])
    expect(view?.phases.map((p) => p.state)).toEqual([
      'done',
      'done',
      'reused',
      'reused',
      'done',
      'done',
      'done',
    ])
    expect(view?.spans.filter((s) => s.kind !== 'queue').map((s) => s.id)).toEqual(['step-3', 'step-4'])
    expect(view?.proposals_created.map((p) => p.reused)).toEqual([true, true])
    expect(view?.calls).toHaveLength((await readCalls(h.kit.db, source)).length)
    expect(of).toMatchObject({ rerun_reason: 'one more look', reruns: [{ run_id: twice, from_step: 3 }] })
    const { rows } = await h.kit.db.query(
      sql`SELECT reason, details FROM event WHERE name = 'run.rerun' AND resource_id = ${source} AND details ->> 'rerun' = ${once}`,
    )
    expect(rows).toEqual([{ reason: 'one more look', details: { rerun: once, from_step: 3 } }])
  })

  test('where it failed half-way: what was made is reused, what was not is made', async () => {
    const failing = await h.worker({
      failpoint: (name) => {
        if (name === 'proposal-0') throw new Error('the step breaks after its first proposal')
      },
    })
    const broken = await ask(h.kit, SLUG, { tag: 'broken' })
    await until(failing, broken, status('failed'))
    await h.retire(failing)
    const [first] = await proposalsOf(broken)
    const made = await rerun(broken, { from_step: 3 })
    await until(h, made, status('completed'))
    expect(await outputOf(made, 3)).toMatchObject({ reused: [first], created: [{ status: 'PENDING' }] })
    const ids = [0, 1].map((index) => proposalIdOf(broken, index))
    expect([await proposalsOf(broken), await proposalsOf(made)]).toEqual([[ids[0]], [ids[1]]])
  })
})

describe('a worker that stops between copy and start', () => {
  test.each(['reused-1', 'objects-2', 'before-checkpoint-3'])('at %s leaves the same end', async (point) => {
    const { worker, isReached, release } = await freezeAt(h, point)
    const proposals = await countOf('proposal')
    const made = await rerun(source, { from_step: 3 })
    await patiently(async () => {
      await tick(worker)
      return isReached()
    })
    await expireLease(h.kit, made)
    await until(h, made, status('completed'))
    await release()
    for (const step of [1, 2]) expect(await bytesOf(made, step)).toBe(await bytesOf(source, step))
    expect(await outputOf(made, 3)).toMatchObject({
      created: [],
      reused: expect.arrayContaining(await proposalsOf(source)),
    })
    expect(await countOf('proposal')).toBe(proposals)
    const { rows } = await h.kit.db.query<{ step: number }>(
      sql`SELECT (details ->> 'step')::int AS step FROM event WHERE resource_id = ${made} AND transition = 'step_done' ORDER BY id`,
    )
    expect(rows.map(({ step }) => step)).toEqual([1, 2, 3, 4])
  })

  test('a stored step that was changed since ends the replay, and proposes nothing', async () => {
    const tampered = await ask(h.kit, SLUG, { tag: 'tampered' })
    await until(h, tampered, status('completed'))
    await h.kit.db.query(
      sql`UPDATE run_step SET output = output || '{"summary":"other"}' WHERE run_id = ${tampered} AND step = 2`,
    )
    const made = await rerun(tampered, { from_step: 3 })
    const run = await until(h, made, status('failed'))
    expect(run.error).toMatchObject({ code: 'CHECKPOINT_MISMATCH', step: 2 })
    expect(await storedObject(h.kit, SLUG, made, 'steps/02-execute-agent.json')).toBeNull()
  })
})

describe('a source whose first object is not in the store', () => {
  const removed = async (tag: string, pathOf: (runId: string) => string) => {
    const of = await ask(h.kit, SLUG, { tag })
    await until(h, of, status('completed'))
    await stored(of, 'status.json')
    await rm(join(h.folder, 'store', pathOf(of)), { recursive: true })
    return of
  }

  test('and will not come: the replay ends, and its objects are nothing to wait for', async () => {
    const lost = await removed('lost', (runId) => stepKey(SLUG, runId, 1))
    const made = await rerun(lost, { from_step: 2 })
    const run = await until(h, made, status('failed'))
    expect(run.error).toMatchObject({ code: 'CHECKPOINT_MISMATCH', step: 2 })
    await expect(projectRun(h.kit, made)).rejects.toThrow(ProjectionConflict)
    await h.kit.db.query(sql`UPDATE agent SET failed_in_row = 0 WHERE slug = ${SLUG}`)
  })

  test('because nothing of it is stored yet: it is stored, and the replay goes on', async () => {
    const late = await removed('late', (runId) => runFolder(SLUG, runId))
    const made = await rerun(late, { from_step: 2 })
    await until(h, made, status('completed'))
    expect(await bytesOf(made, 1)).toBe(await bytesOf(late, 1))
    expect(await stored(late, 'status.json')).toMatchObject({ run_id: late })
  })
})

test('what was refused is submitted once more by a replay from step 03, and stays what became of it', async () => {
  await h.kit.db.query(
    sql`UPDATE proposal SET decided_at = clock_timestamp(), status = 'REJECTED' WHERE run_id = ${source}`,
  )
  const refused = await rerun(source, { from_step: 2 })
  await until(h, refused, status('completed'))
  expect(await outputOf(refused, 3)).toMatchObject({
    created: [],
    refused: [{ code: 'DUPLICATE_OF_REJECTED' }, { code: 'DUPLICATE_OF_REJECTED' }],
  })
  await h.kit.db.query(
    sql`UPDATE proposal SET decided_at = decided_at - interval '8 days' WHERE run_id = ${source}`,
  )
  const cured = await rerun(refused, { from_step: 3 })
  await until(h, cured, status('completed'))
  const ids = [0, 1].map((index) => proposalIdOf(refused, index))
  expect((await outputOf(cured, 3)).created).toEqual(
    ids.map((proposal_id) => expect.objectContaining({ proposal_id })),
  )
  const again = await rerun(refused, { from_step: 3 })
  await until(h, again, status('completed'))
  expect(await outputOf(again, 3)).toEqual({ created: [], refused: [], reused: ids })
})

test.each([2, 3] as const)(
  'an agent that is paused before its replay from step 0%i begins: nothing runs',
  async (from_step) => {
    const proposals = await countOf('proposal')
    const made = await rerun(source, { from_step })
    await h.kit.db.query(sql`UPDATE agent SET status = 'paused' WHERE slug = ${SLUG}`)
    const run = await until(h, made, (one) => one.finished_at !== null)
    await h.kit.db.query(sql`UPDATE agent SET status = 'active', failed_in_row = 0 WHERE slug = ${SLUG}`)
    expect(run.error).toMatchObject({ code: 'AGENT_NOT_ACTIVE' })
    expect([await readSteps(h.kit.db, made), await countOf('proposal')]).toEqual([[], proposals])
  },
)

describe('a replay is asked for', () => {
  test('once by its token; another body under it is refused', async () => {
    const wanted = { from_step: 3, correlation_id: 'replay-1' } as const
    const runs = await countOf('run')
    const answers = await Promise.all([ask2(source, wanted), ask2(source, wanted)])
    const [first] = answers.flatMap((a) => (a.ok ? [a.value] : []))
    const again = await ask2(source, wanted)
    expect(again).toMatchObject({ ok: true, value: { run_id: first?.run_id, unchanged: true } })
    expect(await countOf('run')).toBe(runs + 1)
    for (const other of [{ from_step: 2 }, { from_step: 3, reason: 'another reason' }])
      expect(await ask2(source, { ...wanted, ...other })).toMatchObject({
        ok: false,
        refusal: { code: 'IDEMPOTENCY_MISMATCH' },
      })
    expect(await countOf('run')).toBe(runs + 1)
    await until(h, first?.run_id ?? '', status('completed'))
  })

  test('of a run that goes on, of a step that was not reached, with parameters that cannot be: nothing happens', async () => {
    const waiting = await ask(h.kit, SLUG)
    const before = [await countOf('run'), await countOf('inbox_entry')]
    const codes = async (of: string, wanted: Wanted) => {
      const answer = await ask2(of, wanted)
      return answer.ok ? 'ok' : answer.refusal.code
    }
    expect(await codes(waiting, { from_step: 1 })).toBe('INVALID_TRANSITION')
    expect(await codes(source, { from_step: 2, params: { question: 'Else?' } })).toBe('VALIDATION_FAILED')
    expect(await codes('run_2026-01-01_000000_aaaaaa', { from_step: 1 })).toBe('NOT_FOUND')
    expect([await countOf('run'), await countOf('inbox_entry')]).toEqual(before)
    const { rows } = await h.kit.db.query(
      sql`SELECT error_code FROM event WHERE name = 'run.rerun' AND outcome = 'refused' AND resource_id = ${waiting}`,
    )
    expect(rows).toEqual([{ error_code: 'INVALID_TRANSITION' }])
    await until(h, waiting, status('completed'))
  })
})
