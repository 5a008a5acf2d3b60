/** Workers over HTTP: registered, drained and removed, and what a refusal leaves behind: nothing. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { workerView } from '#contracts/worker.contract.ts'
import { ledgerDigest } from './testing/gateway.ts'
import { openRuntimeWire, R, type RuntimeWire, success, workerName } from './testing/runtime-wire.ts'

let wire: RuntimeWire
beforeAll(async () => {
  wire = await openRuntimeWire()
})
afterAll(() => wire?.close())
beforeEach(() => wire.forgetRequests())

describe('workers', () => {
  test('are one by their name, and keep everything that they say', async () => {
    const said = {
      ...{
        name: workerName(),
        url: 'http://orange.lan:8001/',
        status: 'online',
        agent_version: '0.5',
        os_info: 'Linux',
        install_method: 'curl',
      },
      capabilities: {
        claude_cli: true,
        max_concurrency: 2,
        labels: ['uk'],
        features: { context_hints: true },
      },
      ip_addrs: ['192.0.2.4'],
    }
    const first = await wire.call(`POST ${R}/workers`, said)
    expect([first.status, first.json]).toMatchObject([
      201,
      {
        ...{ url: 'http://orange.lan:8001', status: 'online', agent_version: '0.5', ip_addrs: ['192.0.2.4'] },
        capabilities: said.capabilities,
      },
    ])
    const { id } = workerView.parse(first.json)
    const again = await wire.call(`POST ${R}/workers`, { name: said.name, status: 'unknown', url: null })
    expect([again.status, again.json]).toMatchObject([
      200,
      { id, status: 'online', capabilities: said.capabilities },
    ])
    expect((await wire.call(`GET ${R}/workers/${id}`)).json).toMatchObject({
      leases: [],
      last_selections: [],
    })
    const listed = z.array(workerView).parse((await wire.call(`GET ${R}/workers`)).json)
    expect(listed.map((one) => one.id)).toContain(id)
    expect((await wire.call(`GET ${R}/workers/${randomUUID()}`)).status).toBe(404)
  })

  test.each([
    ['two lines of name', { name: 'a\nb' }],
    ['no name', { name: ' ' }],
    ['a file', { url: 'file:///etc/passwd' }],
    ['a script', { url: 'javascript:alert(1)' }],
    ['a password', { url: 'http://me:secret@orange:8001' }],
    ['room for none', { capabilities: { max_concurrency: 0 } }],
    ['room for 33', { capabilities: { max_concurrency: 33 } }],
    ['no capabilities at all, but a number', { capabilities: 1 }],
  ])('are refused with %s', async (_, more) => {
    const before = await ledgerDigest(wire.whole.services)
    expect((await wire.call(`POST ${R}/workers`, { name: workerName(), ...more })).status).toBe(400)
    expect(await ledgerDigest(wire.whole.services)).toBe(before)
  })

  test('get nothing while they are drained, and are removed by the owner alone', async () => {
    const { owner, operator } = wire
    const { task, worker, lease } = await wire.leased()
    const path = `${R}/workers/${worker.id}`
    expect((await wire.call(`POST ${path}/drain`, { drain: true, reason: 'r' })).status).toBe(403)
    const drain = { drain: true, reason: 'new disk' }
    const drained = await wire.call(`POST ${path}/drain`, drain, { headers: operator })
    expect(drained.json).toMatchObject({ drain_reason: 'new disk' })
    const other = await wire.addTask()
    const asked = await wire.call(`POST ${R}/llm-tasks/${other.id}/lease`, { worker_id: worker.id })
    expect(asked.json).toMatchObject({ filtered: { drained: 1 } })
    expect((await wire.call(`DELETE ${path}`, undefined, { headers: operator })).status).toBe(403)
    expect((await wire.call(`DELETE ${path}`, undefined, { headers: owner })).status).toBe(409)
    expect((await wire.call(`DELETE ${path}?force`, undefined, { headers: owner })).json).toEqual({
      removed: true,
      id: worker.id,
    })
    expect((await wire.call(`GET ${R}/llm-tasks/${task.id}`)).json).toMatchObject({
      status: 'queued',
      error_code: 'worker_crash',
    })
    const body = success('x', { lease_id: lease.id, fence: 1 })
    expect((await wire.call(`POST ${R}/llm-tasks/${task.id}/complete`, body)).code).toBe('FENCE_STALE')
    expect((await wire.call(`DELETE ${path}`, undefined, { headers: owner })).status).toBe(404)
  })
})
