/** Heartbeats and reports of leased tasks over HTTP: which count, which are refused, and what a refusal leaves behind: its record alone. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { leaseView, taskDetail } from '#contracts/llm-task.contract.ts'
import { getArtifact } from '#server/artifacts/get-artifact.query.ts'
import { OWNER } from '#server/jobs/testing/queue-room.ts'
import { eventsOf } from '#server/runtime/testing/runtime-room.ts'
import { ledgerDigest, OF_THIS_MACHINE } from './testing/gateway.ts'
import { JSON_TYPE, openRuntimeWire, R, type RuntimeWire, success } from './testing/runtime-wire.ts'

let wire: RuntimeWire
beforeAll(async () => {
  wire = await openRuntimeWire()
})
afterAll(() => wire?.close())
beforeEach(() => wire.forgetRequests())

const renewed = z.object({ lease: leaseView, expires_at: z.number() })
const completed = z.object({ artifact: z.object({ id: z.string() }) })

describe('tasks', () => {
  test('go from lease to artifact as existing nodes report: one empty heartbeat, no token counts', async () => {
    const { task, lease } = await wire.leased()
    const below = `/lease/${lease.token}${R}/llm-tasks/${task.id}`
    const headers = { ...OF_THIS_MACHINE, ...JSON_TYPE }
    const beat = await wire.call(`POST ${below}/heartbeat`, undefined, { headers, raw: '' })
    expect(beat.status).toBe(200)
    const answer = renewed.parse(beat.json)
    expect(answer.expires_at).toBe(answer.lease.expires_at)
    const done = await wire.call(`POST ${below}/complete`, success(), { headers })
    expect(done.status).toBe(200)
    expect(done.json).toMatchObject({
      task: { status: 'completed' },
      artifact: { type: 'LLM_RESULT' },
      result: { status: 'success', output: 'Spring.', metrics: { duration_ms: 12, tokens_used: null } },
    })
    expect(await wire.call(`POST ${below}/complete`, success(), { headers })).toMatchObject({
      status: 200,
      json: done.json,
    })
    expect((await wire.call(`POST ${below}/complete`, success('Autumn.'), { headers })).status).toBe(409)
    const { id } = completed.parse(done.json).artifact
    const artifact = await wire.call(`GET /api/v1/artifacts/${id}`, undefined, { headers: wire.owner })
    expect(artifact.json).toMatchObject({ content: { format: 'text', output: 'Spring.' } })
    expect((await wire.call(`GET ${R}/artifacts?task_id=${task.id}`)).json).toHaveLength(1)
    const { json } = await wire.call(`GET ${R}/llm-tasks/${task.id}`)
    expect(taskDetail.parse(json).history.map((one) => one.name)).toEqual([
      ...['task.created', 'task.leased', 'task.started', 'task.completed'],
    ])
  })

  test('keep what a program prints, without what no text may hold', async () => {
    const { task, lease } = await wire.leased()
    const body = success('a\u0000b\u001b[31mc', { lease_id: lease.id, fence: lease.fence })
    const { status, json } = await wire.call(`POST ${R}/llm-tasks/${task.id}/complete`, body)
    expect([status, json]).toMatchObject([200, { result: { output: 'ab\u001b[31mc' } }])
  })

  test.each<[string, object, number]>([
    ['a success without output', { status: 'success', metrics: { duration_ms: 1 } }, 400],
    ['a success with null', { status: 'success', output: null, metrics: { duration_ms: 1 } }, 400],
    ['an error without a message', { status: 'error', error_message: ' ' }, 400],
    ['a negative time', success('x', { metrics: { duration_ms: -1 } }), 400],
    ['half a token', success('x', { metrics: { duration_ms: 1, tokens_used: 1.5 } }), 400],
    ['1 MiB and a byte', success('a'.repeat(1024 * 1024 + 1)), 413],
    ['a body that is more', success('a'.repeat(1024 * 1024 + 70_000)), 413],
  ])('refuse a report with %s', async (_, body, status) => {
    const { task, lease } = await wire.leased()
    const before = await ledgerDigest(wire.whole.services)
    const answer = await wire.call(`POST ${R}/llm-tasks/${task.id}/complete`, {
      ...body,
      lease_id: lease.id,
      fence: lease.fence,
    })
    expect(answer.status).toBe(status)
    expect(await ledgerDigest(wire.whole.services)).toBe(before)
  })

  test('answered in Markdown are shown as they read, without what could run', {
    timeout: 60_000,
  }, async () => {
    const { task, lease } = await wire.leased({ desired_format: 'markdown' })
    const body = success('## Bees\n\n<script>alert(1)</script>[here](javascript:alert(1))', {
      ...{ lease_id: lease.id, fence: lease.fence },
    })
    const done = await wire.call(`POST ${R}/llm-tasks/${task.id}/complete`, body)
    const { id } = completed.parse(done.json).artifact
    const summary = async () => {
      const shown = await getArtifact(wire.whole.services, id, OWNER)
      return JSON.stringify(shown.ok ? shown.value.readable?.summary : shown.refusal)
    }
    // Rendered beside the answer; until then it is shown as it is written.
    await expect.poll(summary).toContain('"tagName":"h2"')
    expect(await summary()).not.toMatch(/"tagName":"script"|javascript:/)
  })

  test('take JSON that is none for a failure of the attempt', async () => {
    const { task, lease } = await wire.leased({ desired_format: 'json' })
    const body = success('no json', { lease_id: lease.id, fence: lease.fence })
    const done = await wire.call(`POST ${R}/llm-tasks/${task.id}/complete`, body)
    expect(done.json).toMatchObject({ task: { status: 'failed', error_code: 'parse_error' }, artifact: null })
  })

  test('refuse a lease that is not theirs, in any form, and change nothing', async () => {
    const [one, other] = [await wire.leased(), await wire.leased()]
    const foreign = [
      { ...wire.machine, 'x-lease-token': other.lease.token },
      { ...wire.machine, 'x-lease-token': one.lease.token.toUpperCase() },
      { ...wire.machine, 'x-lease-token': 'x' },
      { ...OF_THIS_MACHINE, ...JSON_TYPE, 'x-lease-token': other.lease.token },
    ]
    const before = await ledgerDigest(wire.whole.services)
    const at = `POST ${R}/llm-tasks/${one.task.id}`
    for (const headers of foreign)
      for (const [what, body] of [
        ['heartbeat', {}],
        ['complete', success()],
      ] as const) {
        const answer = await wire.call(`${at}/${what}`, body, { headers })
        expect([answer.status, answer.code]).toEqual([409, 'FENCE_STALE'])
      }
    for (const shown of [
      { lease_id: other.lease.id, fence: 1 },
      { lease_id: one.lease.id, fence: 2 },
    ]) {
      const answer = await wire.call(`${at}/complete`, success('x', shown))
      expect([answer.status, answer.code]).toEqual([409, 'FENCE_STALE'])
    }
    expect(await ledgerDigest(wire.whole.services)).toBe(before)
    const events = await eventsOf(wire.whole.services.db, one.task.id)
    expect(events.filter((line) => line === 'lease.refused refused').length).toBe(10)
  })

  test('that were never leased, or are not there, have no heartbeat and no report', async () => {
    const task = await wire.addTask()
    expect((await wire.call(`POST ${R}/llm-tasks/${task.id}/heartbeat`)).status).toBe(404)
    expect((await wire.call(`POST ${R}/llm-tasks/${task.id}/complete`, success())).status).toBe(409)
    for (const what of ['lease', 'heartbeat', 'requeue', 'cancel', 'dispatch'])
      expect((await wire.call(`POST ${R}/llm-tasks/${randomUUID()}/${what}`, {})).status).toBe(404)
    expect(await wire.call(`POST ${R}/llm-tasks/${randomUUID()}/complete`, success())).toMatchObject({
      status: 404,
      json: { error: 'Task not found' },
    })
  })
})
