import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { askControlPlane } from './call-control-plane.ts'
import { controlPlane, type StandIn, standIn } from './testing/stand-in-server.ts'

const KEY = 'admin-key-of-a-test'
let plane: StandIn
let waits: number[]
beforeEach(async () => {
  plane = await standIn(controlPlane(KEY))
  waits = []
})
afterEach(() => plane.close())

const parts = (random = 0) => ({
  env: { ALLOW_INSECURE_LAN: false },
  random: () => random,
  wait: async (ms: number) => {
    waits.push(ms)
  },
})
const ask = (url = plane.url, random = 0) => askControlPlane({ url, key: KEY }, parts(random))

describe('a control plane', () => {
  test('is asked for its health, and for something that wants the key', async () => {
    expect(await ask()).toEqual({
      health: {
        ...{ status: 'ok', service: 'membridge-control-plane', version: '0.4.0', projects: 2, agents: 3 },
        ...{ store: 'ok', database: 'ok' },
      },
    })
    expect(plane.received.map(({ at, headers }) => [at, headers['x-membridge-admin']])).toEqual([
      ['GET /health', KEY],
      ['GET /agents', KEY],
    ])
    expect(waits).toEqual([])
  })

  test('below a path keeps the path', async () => {
    await ask(`${plane.url}/fleet`)
    expect(plane.received.map(({ at }) => at)).toEqual(['GET /fleet/health', 'GET /fleet/agents'].slice(0, 1))
  })

  test('that does not take the key is told from one that is away, and is asked once', async () => {
    plane.behave(controlPlane('another'))
    expect(await ask()).toMatchObject({ fault: 'refused_key' })
    expect([plane.received.length, waits]).toEqual([2, []])
  })

  test.each([500, 502, 503])('that answers %i is asked three times more', async (status) => {
    plane.behave(() => ({ status }))
    expect(await ask()).toMatchObject({ fault: 'failing' })
    expect([plane.received.length, waits]).toEqual([4, [500, 1_000, 2_000]])
  })

  test('that is back at the third time is connected', async () => {
    let calls = 0
    plane.behave((asked) => (++calls < 3 ? { status: 503 } : controlPlane(KEY)(asked)))
    expect(await ask(plane.url, 1)).toMatchObject({ health: { status: 'ok' } })
    expect(waits).toEqual([650, 1_300])
  })

  test.each([400, 404, 429])('is none where %i is answered, and is not asked again', async (status) => {
    plane.behave(() => ({ status }))
    expect(await ask()).toMatchObject({ fault: 'not_control_plane' })
    expect([plane.received.length, waits]).toEqual([1, []])
  })

  test.each<[string, object]>([
    ['a page', { body: '<html>', headers: { 'content-type': 'text/html' } }],
    ['no status', { body: { ok: true } }],
    ['a list', { body: [] }],
    ['a picture', { body: 'x', headers: { 'content-type': 'image/png' } }],
    ['too much', { body: JSON.stringify({ status: 'x'.repeat(1024 * 1024) }) }],
  ])('is none where %s is answered', async (_, answer) => {
    plane.behave(() => answer)
    expect(await ask()).toMatchObject({ fault: 'not_control_plane' })
  })

  test('that leads elsewhere is not followed, and the key goes nowhere else', async () => {
    const other = await standIn(controlPlane(KEY))
    plane.behave(() => ({ status: 302, headers: { location: `${other.url}/health` } }))
    expect(await ask()).toMatchObject({ fault: 'not_control_plane' })
    expect(other.received).toEqual([])
    await other.close()
  })

  test('that is away is asked three times more', async () => {
    await plane.close()
    expect(await ask()).toEqual({ fault: 'unreachable', message: expect.stringContaining('did not answer') })
    expect(waits).toEqual([500, 1_000, 2_000])
    plane = await standIn()
  })

  test.each([
    ['http://plane.example:8000', 'in_clear'],
    ['http://192.168.1.4:8000', 'in_clear'],
    ['http://169.254.169.254', 'not_callable'],
    ['https://[fe80::1]:8000', 'not_callable'],
    ['https://0.0.0.0', 'not_callable'],
  ])('at %s is sent nothing: %s', async (url, fault) => {
    expect(await ask(url)).toMatchObject({ fault })
    expect(waits).toEqual([])
  })
})
