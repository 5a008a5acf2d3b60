import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import pino from 'pino'
import sql, { type Sql } from 'sql-template-tag'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { OUTPUT_BYTES } from '#contracts/task-report.contract.ts'
import { OPENS_AFTER } from '#domain/task/breaker.rules.ts'
import { openGitRepository } from '#server/adapters/git-repository/isomorphic-git.ts'
import { nodeCallKey } from '#server/keys/node-call-key.ts'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { json } from '#server/ledger/event-fields.ts'
import { onLedger } from '#server/ledger/testing/on-ledger.ts'
import { plansOf } from '#server/ledger/testing/plans-of.ts'
import { AGENT_FILE, makeGround } from '#server/runs/testing/run-kit.ts'
import { type CallTable, openCallTable } from './call-table.ts'
import { countFailure } from './count-failure.ts'
import { dispatchNext } from './dispatch-next.ts'
import { type DispatchParts, dispatchTask } from './dispatch-task.ts'
import { reapTaskLeases } from './end-lease.ts'
import { leaseTask } from './lease-task.ts'
import {
  addTask,
  addWorker,
  eventsOf,
  joinNode,
  MACHINE,
  openRuntimeRoom,
  passDelay,
  type RuntimeRoom,
  runOut,
  taskLine,
} from './testing/runtime-room.ts'
import { type ScriptedNode, scriptedNode } from './testing/scripted-node.ts'

const AGENT_KEY = 'a'.repeat(43)
let room: RuntimeRoom
let parts: DispatchParts & { log: pino.Logger }
let node: ScriptedNode
let calls: CallTable
let name: string
let folder: string
let worker: string

beforeAll(async () => {
  room = await openRuntimeRoom()
  const env = {
    ...{ RUNTIME_URL: 'http://127.0.0.1:9', RUNTIME_REQUIRE_LEASE: false },
    ...{ MEMBRIDGE_AGENT_KEY: AGENT_KEY, ALLOW_INSECURE_LAN: false },
  }
  folder = await makeGround(['clerk', 'scribe'])
  const garden = await openGitRepository(path.join(folder, 'garden.git'))
  parts = { ...room, garden, env, log: pino({ level: 'silent' }) }
})
afterAll(async () => {
  await room?.close()
  await rm(folder, { recursive: true, force: true })
})
beforeEach(async () => {
  await room.db.query(sql`UPDATE worker_node SET removed_at = clock_timestamp() WHERE removed_at IS NULL`)
  await room.db.query(
    sql`UPDATE llm_task SET not_before = clock_timestamp() + interval '1 hour' WHERE status = 'queued'`,
  )
  node = await scriptedNode()
  name = `w-${randomUUID().slice(0, 8)}`
  worker = await addWorker(room.db, name, { max: 2, url: node.url })
  calls = openCallTable(parts, 8)
})
afterEach(async () => {
  await calls.close()
  await node.close()
})

const becomes = async (id: string, status: string) => {
  await waitUntil(async () => (await taskLine(room.db, id)).status === status, { what: `${id} ${status}` })
  return taskLine(room.db, id)
}

describe('a worker that is called', () => {
  test('gets the prompt, the address that shows its lease, and its own key', async () => {
    node.behave(() => ({ body: { ok: true, output: 'Spring.', duration_ms: 7, returncode: 0 } }))
    await joinNode(room.web.db, name)
    const id = await addTask(room.db, { desired_format: 'markdown', policy: { timeout_sec: 60, budget: 9 } })
    expect(await dispatchNext(parts, calls)).toBe(true)
    expect(await becomes(id, 'completed')).toMatchObject({
      worker_id: worker,
      artifact_id: expect.any(String),
    })
    const [received] = node.received
    expect(received?.execution).toMatchObject({
      ...{ task_id: id, prompt: 'What does the garden say?', context_id: 'garden', agent_slug: 'writer' },
      ...{ desired_format: 'markdown', context_hints: [], policy: { timeout_sec: 60, budget: 9 } },
      runtime_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:9\/lease\/[A-Za-z0-9_-]{43}$/),
    })
    expect(received?.headers['x-membridge-agent']).toBe(nodeCallKey(AGENT_KEY, name))
    expect(await eventsOf(room.db, id)).toEqual(['task.created', 'task.leased', 'task.completed'])
  })

  test('gets what the runtime alone can resolve as data behind the prompt, and the other hints as they are', async () => {
    node.behave(() => ({ body: { ok: true, output: 'Spring.' } }))
    const context_hints = ['notes/*.md', '@agent/clerk', '@agent/nobody', '@memory/recent', '@other']
    const id = await addTask(room.db, { context_hints })
    await dispatchNext(parts, calls)
    await becomes(id, 'completed')
    const execution = node.received[0]?.execution as { prompt: string; context_hints?: string[] }
    expect(execution.context_hints).toEqual(['notes/*.md'])
    const [, mark, text] =
      /<(data-[0-9a-f]{16})> @agent\/clerk at [0-9a-f]{40}\n([\s\S]*)\n<\/\1>$/.exec(execution.prompt) ?? []
    expect(execution.prompt).toMatch(/^What does the garden say\?\n\nWhat stands between <data-/)
    expect([mark, text]).toEqual([expect.any(String), AGENT_FILE('clerk')])
    const { rows } = await room.db.query<{ context_report: { hint: string; status: string }[] }>(
      sql`SELECT context_report FROM task_attempt WHERE task_id = ${id}`,
    )
    expect(rows[0]?.context_report.map(({ hint, status }) => `${hint} ${status}`)).toEqual([
      '@agent/clerk loaded',
      '@agent/nobody skipped',
      '@memory/recent skipped',
      '@other skipped',
    ])
  })

  test.each([
    ['takes definitions, that of its own agent apart and the other as data', true, 'clerk', ['scribe']],
    ['takes definitions, those of other agents as data', true, 'writer', ['clerk', 'scribe']],
    ['does not say so, all of them as data', false, 'clerk', ['clerk', 'scribe']],
  ])('that %s', async (_, takes, agent_slug, asData) => {
    await room.db.query(
      sql`UPDATE worker_node SET features = ${json({ definition: takes })} WHERE worker_id = ${worker}`,
    )
    node.behave(() => ({ body: { ok: true, output: 'Spring.' } }))
    const id = await addTask(room.db, { agent_slug, context_hints: ['@agent/clerk', '@agent/scribe'] })
    await dispatchNext(parts, calls)
    await becomes(id, 'completed')
    const execution = node.received[0]?.execution as { prompt: string; definition?: string }
    expect(['clerk', 'scribe'].filter((slug) => execution.prompt.includes(`name: ${slug}`))).toEqual(asData)
    expect(execution.definition).toBe(asData.length === 1 ? 'Answer the question from the notes.' : undefined)
  })

  test('that reports an error in its answer fails the attempt', async () => {
    node.behave(() => ({ body: { ok: false, error: 'claude timed out' } }))
    const id = await addTask(room.db)
    await dispatchNext(parts, calls)
    expect(await becomes(id, 'failed')).toMatchObject({ error_code: 'timeout', attempts: 1 })
  })

  test.each<[string, object, object]>([
    ['an empty error', { error: '' }, { last_error: 'The node did not say why.' }],
    ['a blank error and why', { error: ' \n', detail: 'no disk' }, { last_error: 'no disk' }],
    ['more time than there was', { error: 'broken', duration_ms: 1e12 }, { last_error: 'broken' }],
    ['a time that is none', { error: 'broken', duration_ms: '7 s' }, { last_error: 'broken' }],
    ['a NUL', { error: 'a\0b', error_code: 'time\0out' }, { last_error: 'ab', error_code: 'timeout' }],
    ['half a character', { error: 'a\ud800' }, { last_error: 'a\ufffd' }],
    [
      'half a character after the cut',
      { error: `${'a'.repeat(15_999)}🌱` },
      { error_code: 'provider_error' },
    ],
    ['an object', { error: { why: 'a\0b' } }, { last_error: '{"why":"ab"}' }],
    ['nothing but a code that is too long', { error_code: 'x'.repeat(99) }, { error_code: 'provider_error' }],
    [
      'more output than fits',
      { ok: true, output: 'x'.repeat(OUTPUT_BYTES + 1) },
      { error_code: 'output_too_large' },
    ],
  ])('that answers with %s fails the attempt, whoever called it', async (_, body, expected) => {
    node.behave(() => ({ body: { ok: false, ...body } }))
    const id = await addTask(room.db)
    expect(await dispatchTask(parts, { taskId: id }, MACHINE)).toMatchObject({ ok: true })
    expect(await taskLine(room.db, id)).toMatchObject({ status: 'failed', attempts: 1, ...expected })
  })

  test.each([401, 403, 404, 429, 503])('that answers %i did not take it', async (status) => {
    node.behave(() => ({ status }))
    const id = await addTask(room.db)
    await dispatchNext(parts, calls)
    await waitUntil(async () => (await taskLine(room.db, id)).error_code !== null, { what: 'the hand-back' })
    expect(await taskLine(room.db, id)).toMatchObject({
      status: 'queued',
      attempts: 0,
      error_code: 'node_unreachable',
    })
    const { rows } = await room.db.query<{ failures: number; limited: boolean }>(
      sql`SELECT failures, rate_limited_until IS NOT NULL AS limited FROM worker_breaker JOIN worker_node USING (worker_id) WHERE worker_id = ${worker}`,
    )
    expect(rows[0]).toEqual(status === 429 ? { failures: 0, limited: true } : { failures: 1, limited: false })
  })

  test('that is not there did not take it, nor one whose address leads elsewhere', async () => {
    await node.close()
    const id = await addTask(room.db)
    expect(await dispatchTask(parts, { taskId: id }, MACHINE)).toMatchObject({
      refusal: { code: 'UPSTREAM_UNAVAILABLE' },
    })
    node = await scriptedNode()
    node.behave(() => ({ status: 307, headers: { location: 'http://127.0.0.1:1/' } }))
    await addWorker(room.db, name, { max: 2, url: node.url })
    await passDelay(room.db, id)
    expect(await dispatchTask(parts, { taskId: id }, MACHINE)).toMatchObject({ ok: false })
    expect(await taskLine(room.db, id)).toMatchObject({ status: 'queued', attempts: 0 })
  })

  test('that lost the task is not called for it again while one that fetches could take it', async () => {
    node.behave(() => 'never')
    const fetching = await addWorker(room.db, `${name}-fetches`, { url: null })
    const id = await addTask(room.db)
    await dispatchNext(parts, calls)
    await runOut(room.db, (await taskLine(room.db, id)).lease_id as string)
    await reapTaskLeases(room)
    expect(await dispatchNext(parts, calls)).toBe(false)
    expect(await taskLine(room.db, id)).toMatchObject({ status: 'queued', attempts: 1 })
    expect(
      await leaseTask(room.db, { taskId: id, workerId: fetching, among: 'fetching' }, MACHINE),
    ).toMatchObject({
      ok: true,
    })
  })

  test('that hangs up keeps its lease to the end: nobody knows what it did', async () => {
    node.behave(({ hangUp }) => {
      hangUp()
      return 'never'
    })
    const id = await addTask(room.db)
    await dispatchNext(parts, calls)
    await waitUntil(async () => (await eventsOf(room.db, id)).includes('task.dispatch_unanswered error'), {
      what: 'the unanswered call',
    })
    const task = await taskLine(room.db, id)
    expect(task).toMatchObject({ status: 'leased', attempts: 1 })
    await runOut(room.db, task.lease_id as string)
    await reapTaskLeases(room)
    expect(await taskLine(room.db, id)).toMatchObject({
      status: 'queued',
      attempts: 1,
      error_code: 'worker_crash',
    })
  })

  test('that finds its lease lost before it was reaped has said nothing of the task', async () => {
    node.behave(() => ({ status: 409, body: { detail: 'The lease of this task was lost.' } }))
    const id = await addTask(room.db, { max_attempts: 2 })
    await dispatchNext(parts, calls)
    await waitUntil(async () => (await eventsOf(room.db, id)).includes('task.dispatch_unanswered error'), {
      what: 'the answer of the node',
    })
    const task = await taskLine(room.db, id)
    expect(task).toMatchObject({ status: 'leased', attempts: 1, error_code: null })
    await runOut(room.db, task.lease_id as string)
    await reapTaskLeases(room)
    expect(await taskLine(room.db, id)).toMatchObject({ status: 'queued', error_code: 'worker_crash' })
  })

  test('is not waited for when this process ends', async () => {
    node.behave(() => 'never')
    const id = await addTask(room.db)
    await dispatchNext(parts, calls)
    await waitUntil(async () => node.received.length === 1, { what: 'the call' })
    await calls.close()
    expect(await taskLine(room.db, id)).toMatchObject({ status: 'leased' })
  })
})

describe('the dispatcher', () => {
  test('gives every task once, however many dispatch at the same time, and no worker more than it takes', async () => {
    let [now, most] = [0, 0]
    node.behave(async () => {
      now++
      most = Math.max(most, now)
      await new Promise((resolve) => setImmediate(resolve))
      now--
      return { body: { ok: true, output: 'x' } }
    })
    const ids = await Promise.all(Array.from({ length: 20 }, () => addTask(room.db)))
    const others = [calls, openCallTable(parts, 8), openCallTable(parts, 8)]
    await waitUntil(
      async () => {
        await Promise.all(others.map((table) => dispatchNext(parts, table)))
        const lines = await Promise.all(ids.map((id) => taskLine(room.db, id)))
        return lines.every((line) => line.status === 'completed')
      },
      { what: 'twenty completed tasks' },
    )
    expect(node.received).toHaveLength(20)
    expect(most).toBeLessThanOrEqual(2)
    for (const other of others.slice(1)) await other.close()
  })

  test('passes over what nobody can take, and says why once', async () => {
    node.behave(() => ({ body: { ok: true, output: 'x' } }))
    const waiting = await Promise.all(
      Array.from({ length: 60 }, () =>
        addTask(room.db, { priority: 9, policy: { required_labels: ['none-has'] } }),
      ),
    )
    const id = await addTask(room.db)
    await dispatchNext(parts, calls)
    await becomes(id, 'completed')
    await dispatchNext(parts, calls)
    const line = await taskLine(room.db, waiting[0] as string)
    expect(line).toMatchObject({ status: 'queued', wait_reason: 'no_worker', attempts: 0 })
    expect(line.selection).toMatchObject({ rule: null, filtered: { labels: 1 } })
  })

  /** Another worker than the one that is called, in a state that `set` says. */
  const other = async (kind: string, set: Sql, more: Parameters<typeof addWorker>[2] = {}) => {
    const id = await addWorker(room.db, `${name}-${kind}`, { max: 32, ...more })
    await room.db.query(sql`UPDATE worker_node SET ${set} WHERE worker_id = ${id}`)
    return id
  }
  const away = sql`last_heartbeat_at = clock_timestamp() - interval '5 minutes'`
  const limited = sql`rate_limited_until = clock_timestamp() + interval '5 minutes'`
  const labelled = { labels: ['gpu'] }

  test.each([
    [
      'have to stay with a worker that is away',
      { allow_fallback: false },
      async () => sql`first_worker_id = ${await other('away', away)}`,
    ],
    [
      'were lost by the only one that is called, while another fetches',
      {},
      async () => {
        await other('fetches', sql`ip_addrs = ip_addrs`, { url: null })
        return sql`excluded_worker_id = ${worker}`
      },
    ],
    [
      'want the labels of a worker that rests',
      { required_labels: ['gpu'] },
      async () => {
        await other('rests', limited, labelled)
        return sql`attempts = attempts`
      },
    ],
    [
      'want the labels of a worker whose breaker is open',
      { required_labels: ['gpu'] },
      async () => {
        const id = await other('broken', sql`ip_addrs = ip_addrs`, labelled)
        for (let n = 0; n < OPENS_AFTER; n++) await countFailure(room.db, id)
        return sql`attempts = attempts`
      },
    ],
  ])('passes over those that %s, however many they are', async (_, policy, bind) => {
    node.behave(() => ({ body: { ok: true, output: 'x' } }))
    const waiting = await Promise.all(
      Array.from({ length: 60 }, () => addTask(room.db, { priority: 9, policy })),
    )
    await room.db.query(sql`UPDATE llm_task SET ${await bind()} WHERE task_id = ANY(${waiting})`)
    const id = await addTask(room.db)
    expect(await dispatchNext(parts, calls)).toBe(true)
    await becomes(id, 'completed')
    expect(await taskLine(room.db, waiting[59] as string)).toMatchObject({ status: 'queued', attempts: 0 })
  })

  test('reads what is due along its index, though a thousand have to stay with workers that are away', async () => {
    const bound = await other('away', away)
    const one = await addTask(room.db, { policy: { allow_fallback: false } })
    await room.db.query(sql`UPDATE llm_task SET first_worker_id = ${bound} WHERE task_id = ${one}`)
    await room.db.query(sql`INSERT INTO llm_task SELECT (r).* FROM llm_task t, generate_series(1, 1000) n,
      jsonb_populate_record(t, jsonb_build_object('task_id', gen_random_uuid(), 'priority', n % 10)) r WHERE t.task_id = ${one}`)
    await onLedger(room.ownerUrl, (db) => db.query(sql`ANALYZE llm_task, worker_node`))
    const [due] = await plansOf(room.database, () => dispatchNext(parts, calls))
    expect(due).toContain('llm_task_due')
    expect(due).not.toContain('Sort')
  })
})
