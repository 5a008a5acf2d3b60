/** Heartbeats that are answered with 200 and something else than a lease, from a proxy or an older gateway. */
import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Received, standIn } from '#server/runtime/testing/stand-in-server.ts'
import { makeNodeHome } from '../testing/node-home.ts'
import { runEdge } from '../testing/run-edge.ts'
import { reporterAt } from './runtime-client.ts'

const PROGRAM = path.join(import.meta.dirname, '../testing/answer-prompt.sh')
const ODD: [object | null][] = [[{ ok: true }], [{ leaseSeconds: 'soon' }], [[]], [null]]

/** A gateway with one task, which goes on until it was heard of twice. */
async function oddGateway(go: string, odd: object | null) {
  const job = {
    ...{ task_id: 't', prompt: `after ${go}`, context_id: 'c', agent_slug: '', desired_format: 'text' },
    ...{ context_hints: [], policy: { timeout_sec: 60, budget: 0 } },
  }
  const lease = { leaseId: randomUUID(), leaseSeconds: 90, fence: 1, heartbeat_seconds: 1 }
  const completed: unknown[] = []
  let beats = 0
  const gateway = await standIn(({ at, body }: Received) => {
    if (at.endsWith('/workers')) return { body: { id: 'w' } }
    if (at.endsWith('/jobs/lease')) return { body: { job, ...lease } }
    if (at.endsWith('/renew')) {
      beats++
      if (beats === 2) fs.writeFileSync(go, '')
      return { body: odd }
    }
    completed.push(JSON.parse(body))
    return {}
  })
  onTestFinished(gateway.close)
  return { url: gateway.url, completed }
}

test.each(ODD)('a heartbeat that is answered with %j ends neither the node nor its task', async (odd) => {
  const home = makeNodeHome()
  const { url, completed } = await oddGateway(home.path('go'), odd)
  const own = { BLOOM_RUNTIME_URL: url, RUNTIME_API_KEY: 'k'.repeat(40), CLAUDE_BIN: PROGRAM }
  const { code, stderr } = await runEdge(home, ['work', '--once'], own)
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/t: succeeded\n$/) })
  expect(completed).toMatchObject([{ status: 'succeeded', output: 'after all' }])
})

test.each(ODD)('so is one of a task that the node was called for: %j', async (odd) => {
  const gateway = await standIn(() => ({ body: odd }))
  onTestFinished(gateway.close)
  const job = {
    ...{ task_id: 't', prompt: 'p', context_id: 'c', agent_slug: '', desired_format: 'text' as const },
    ...{ context_hints: [], policy: { timeout_sec: 60, budget: 0 } },
  }
  const reply = await reporterAt(gateway.url).renew({ job, leaseId: 'l', fence: 0 }, {})
  expect(reply.kind).toBe('unknown')
})
