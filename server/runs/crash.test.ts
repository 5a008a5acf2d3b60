import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import sql from 'sql-template-tag'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { projectRun } from './project-run.ts'
import { proposalIdOf } from './run-ids.ts'
import { readCalls, readRun, readSteps } from './run-row.ts'
import { CRASH_POINTS } from './testing/crash-points.ts'
import {
  answerJob,
  ask,
  expireLease,
  freezeAt,
  type Harness,
  openHarness,
  patiently,
  status,
  storedObject,
  tick,
  until,
  type Worker,
} from './testing/harness.ts'
import type { Kit } from './testing/run-kit.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

let h: Harness
let expected: unknown

beforeAll(async () => {
  h = await openHarness(['scout'])
  const runId = await ask(h.kit, 'scout', { tag: 'calm' })
  await until(h, runId, status('completed'))
  await shownFinal(h.kit, runId)
  expected = await outcome(h.kit, runId, 'calm')
})
afterAll(() => h.close())

/** What a run left behind, with its own names taken out: two runs of the same request are equal. */
async function outcome(kit: Kit, runId: string, tag: string) {
  const [run, steps, calls] = await Promise.all([
    readRun(kit.db, runId),
    readSteps(kit.db, runId),
    readCalls(kit.db, runId),
  ])
  const { rows: proposals } = await kit.db.query(
    sql`SELECT proposal_id, status, action, target_path, summary, changes FROM proposal WHERE run_id = ${runId} ORDER BY target_path`,
  )
  const { rows: jobs } = await kit.db.query(
    sql`SELECT job_id, status, payload FROM job WHERE run_id = ${runId}`,
  )
  const [job, execution] = [jobs[0]?.job_id as string, steps[1]?.output]
  const artifact = (execution?.artifacts as string[] | undefined)?.[0] ?? ''
  const named = JSON.stringify({
    status: run?.status,
    completed: run?.steps_completed,
    outputs: steps.map((s) => withoutTimes(s.output)),
    calls: calls.map((c) => [c.call_index, c.tool, c.ok]),
    proposals,
    jobs,
    manifest: withoutTimes(await storedObject(kit, 'scout', runId, 'manifest.json')),
    shown: (await storedObject(kit, 'scout', runId, 'status.json'))?.status,
  })
  return JSON.parse(
    [runId, job, artifact, proposalIdOf(runId, 0), proposalIdOf(runId, 1), `-${tag}`].reduce(
      (text, name, i) => text.replaceAll(name, `<${i}>`),
      named,
    ),
  )
}

const TIMES = new Set([
  'ms',
  'started_at',
  'finished_at',
  'duration_ms',
  'wait_ms',
  'step_durations',
  'digest',
  'manifest_sha256',
])
function withoutTimes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTimes)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, v]) => [key, TIMES.has(key) ? '–' : withoutTimes(v)]),
  )
}

describe('a worker that stops at a point and comes back too late', () => {
  test.each(CRASH_POINTS)('%s', async (point) => {
    const { worker, isReached, release } = await freezeAt(h, point)
    const runId = await ask(h.kit, 'scout', { tag: point })
    await patiently(async () => {
      await tick(worker)
      const run = await readRun(h.kit.db, runId)
      if (run?.waiting_on && point !== 'suspended') await answerJob(h.kit, runId)
      return isReached()
    })
    await expireLease(h.kit, runId)
    await until(h, runId, status('completed'))
    await shownFinal(h.kit, runId)
    expect(await outcome(h.kit, runId, point)).toEqual(expected)

    // The frozen worker wakes up now and goes on where it was: nothing may change by that.
    const before = await everything(h.kit, runId)
    await release()
    expect(await everything(h.kit, runId)).toEqual(before)
  })
})

test.each([1, 2, 3, 4])(
  'a checkpoint of step %i under an old fence changes nothing while another does the step',
  async (step) => {
    const gates = [requestGuards(), requestGuards()]
    const [late, present] = [
      await h.worker({
        failpoint: (name) => (name === `before-checkpoint-${step}` ? gates[0]?.pass() : undefined),
      }),
      await h.worker({ failpoint: (name) => (name === `step-${step}-begun` ? gates[1]?.pass() : undefined) }),
    ]
    const runId = await ask(h.kit, 'scout', { tag: `fence-${step}` })
    const reach = (worker: Worker, gate: Gate | undefined) =>
      patiently(async () => {
        await tick(worker)
        if ((await readRun(h.kit.db, runId))?.waiting_on) await answerJob(h.kit, runId)
        return gate?.reached()
      })
    await reach(late, gates[0])
    await expireLease(h.kit, runId)
    await reach(present, gates[1])
    gates[0]?.open()
    await h.retire(late)
    expect(await readRun(h.kit.db, runId)).toMatchObject({ steps_completed: step - 1, status: 'running' })
    const { rows } = await h.kit.db.query(
      sql`SELECT details FROM event WHERE name = 'run.write.refused' AND resource_id = ${runId} AND error_code = 'FENCE_STALE'`,
    )
    expect(rows).toEqual([{ details: expect.objectContaining({ step }) }])
    gates[1]?.open()
    await until(present, runId, status('completed'))
    await h.retire(present)
  },
)

type Gate = ReturnType<typeof requestGuards>
function requestGuards() {
  let open = () => {}
  let reached = false
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const pass = () => {
    reached = true
    return opened
  }
  return { open: () => open(), reached: () => reached, pass }
}

/** What the outbox does in the end, whoever fell before. */
const shownFinal = (kit: Kit, runId: string) =>
  patiently(async () => {
    await projectRun(kit, runId)
    return (await storedObject(kit, 'scout', runId, 'status.json'))?.status === 'completed'
  })

async function everything(kit: Kit, runId: string) {
  const prefix = `agents/scout/runs/${runId}/`
  const { keys } = await kit.store.list(prefix)
  return {
    run: await readRun(kit.db, runId),
    steps: await readSteps(kit.db, runId),
    calls: await readCalls(kit.db, runId),
    objects: await Promise.all(keys.map(async (k) => [k, (await kit.store.head(k))?.etag])),
    proposals: (await kit.db.query(sql`SELECT count(*) FROM proposal WHERE run_id = ${runId}`)).rows,
  }
}

describe('a worker that is killed', () => {
  const CHILD = fileURLToPath(new URL('./testing/crash-child.ts', import.meta.url))
  test.each(['context-made', 'job-submitted', 'proposal-0', 'after-checkpoint-4'])('at %s', async (point) => {
    const tag = `killed-${point}`
    const runId = await ask(h.kit, 'scout', { tag })
    const child = spawn(process.execPath, [CHILD, h.url, h.folder, point, `killed-${point}`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(child, 'exit')
    if (point !== 'context-made' && point !== 'job-submitted') await answerJob(h.kit, runId)
    expect((await ended)[1]).toBe('SIGKILL')
    await expireLease(h.kit, runId)
    await until(h, runId, status('completed'))
    await shownFinal(h.kit, runId)
    expect(await outcome(h.kit, runId, tag)).toEqual(expected)
    expect((await readRun(h.kit.db, runId))?.resumes).toBeGreaterThan(0)
  })
})
