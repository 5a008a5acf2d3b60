import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import net from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { VERSION } from '#server/system/version.ts'
import { ADMIN_KEY, type ControlPlaneProcess, runControlPlane } from './testing/control-plane-process.ts'

let database: TestDatabase
let home: string
let plane: ControlPlaneProcess
beforeAll(async () => {
  database = await createTestDatabase()
  home = await mkdtemp(path.join(tmpdir(), 'bloom-control-plane-'))
  plane = await runControlPlane({
    DATABASE_URL: database.controlPlaneUrl,
    BLOOM_HOME: home,
    PUBLIC_URL: 'https://garden.example/"><b>',
  })
})
afterAll(async () => {
  await plane?.stop('SIGKILL')
  await database?.drop()
  await rm(home, { recursive: true, force: true })
})

const get = (path: string, init: RequestInit = {}) =>
  fetch(`${plane.url}${path}`, { redirect: 'manual', ...init })

describe('the process', () => {
  test('says how it is, in exactly these bytes', async () => {
    const answer = await get('/health')
    expect(answer.status).toBe(200)
    expect(await answer.text()).toBe(
      `{"status":"ok","service":"membridge-control-plane","version":"${VERSION}","projects":0,"agents":0,"store":"ok","database":"ok"}`,
    )
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f]{12}$/)
  })

  test('looks at no session, and needs none of its keys', async () => {
    const headers = { authorization: 'Bearer e30.e30.e30', cookie: 'garden_session=e30.e30.e30' }
    expect((await get('/health', { headers })).status).toBe(200)
  })

  test('has rights enough for itself, and none beyond', () => {
    const complaints = plane.lines().filter(({ level }) => level === 'WARNING' || level === 'ERROR')
    expect(complaints).toEqual([])
  })

  test('believes no client that names a peer of its own, or denies its proxy', async () => {
    const key = { 'x-membridge-admin': ADMIN_KEY }
    const far = await get('/projects', { headers: { ...key, 'X-Garden-Peer': '10.0.0.9' } })
    expect(far.status).toBe(200)
    const handedOn = { ...key, 'x-forwarded-for': '10.0.0.9', 'x-garden-handed-on': '0' }
    expect((await get('/projects', { headers: handedOn })).status).toBe(403)
  })

  test('knows no other address, and says so in its own form', async () => {
    expect(await (await get('/nothing')).text()).toBe('{"detail":"Not found."}')
    const other = await get('/health', { method: 'POST' })
    expect([other.status, other.headers.get('allow')]).toEqual([405, 'GET'])
    expect(await other.text()).toBe('{"detail":"This address is called by another method."}')
  })

  test('writes a line for each request, with its id', async () => {
    await get('/ui', { headers: { 'x-request-id': 'ask 1' } })
    const line = plane.lines().find(({ correlation_id }) => correlation_id === 'ask 1')
    expect(line).toMatchObject({
      msg: 'request',
      method: 'GET',
      route: '/ui',
      status: 307,
      service: 'control-plane',
    })
  })

  test('is not brought down by what is no request', async () => {
    const { port } = new URL(plane.url)
    for (const text of [
      'GET /%zz HTTP/1.1\r\nHost: a b\r\n\r\n',
      'nonsense\r\n\r\n',
      'GET / HTTP/1.1\r\n\r\n',
    ]) {
      const socket = net.connect(Number(port), '127.0.0.1')
      socket.end(text)
      const said = (await socket.toArray()).join('')
      expect(said).toMatch(/^HTTP\/1\.1 4\d\d /)
      expect(said).not.toMatch(/\n\s+at |node_modules/)
    }
    expect((await get('/health')).status).toBe(200)
  })
})

describe('the page', () => {
  test('is found from /ui and needs its own files alone', async () => {
    const ui = await get('/ui')
    expect([ui.status, ui.headers.get('location')]).toEqual([307, '/static/ui.html'])
    const page = await get('/static/ui.html')
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/)
    expect(page.headers.get('x-frame-options')).toBe('DENY')
    const html = await page.text()
    expect(html).toContain('href="https://garden.example/&quot;&gt;&lt;b&gt;"')
    const named = [...html.matchAll(/(?:src|href)="(ui\.[a-z]+)"/g)].map(([, name]) => name as string)
    expect(named).toEqual(['ui.css', 'ui.js'])
    for (const name of named) expect((await get(`/static/${name}`)).status).toBe(200)
  })

  test.each([
    ['main.ts', 404],
    ['..%2Fmain.ts', 404],
    ['%2e%2e/main.ts', 404],
    ['toString', 404],
    ['ui.html%00', 400],
  ])('serves no %s', async (name, status) => {
    expect((await get(`/static/${name}`)).status).toBe(status)
  })
})

describe('a start', () => {
  test('without its secrets names each, and shows none', async () => {
    const failed = await runControlPlane({
      DATABASE_URL: database.controlPlaneUrl,
      MEMBRIDGE_ADMIN_KEY: '',
      MEMBRIDGE_AGENT_KEY: 'canary-too-short',
      MEMBRIDGE_DEV: '1',
    })
    expect(await failed.stop()).toBe(1)
    expect(failed.output()).toBe(
      [
        'The environment is not usable:',
        '  MEMBRIDGE_ADMIN_KEY: is missing',
        '  MEMBRIDGE_AGENT_KEY: must have at least 32 bytes',
        '',
      ].join('\n'),
    )
  })

  test('on a port that is taken ends', async () => {
    const { port } = new URL(plane.url)
    const second = await runControlPlane({
      DATABASE_URL: database.controlPlaneUrl,
      BLOOM_HOME: home,
      MEMBRIDGE_PORT: port,
    })
    expect(await second.stop()).toBe(1)
    expect(second.output()).toContain('EADDRINUSE')
  })

  test('needs neither database nor object store, and says what is missing', async () => {
    const alone = await runControlPlane({
      DATABASE_URL: 'postgresql://nobody:nothing@127.0.0.1:1/none',
      MINIO_ENDPOINT: 'http://127.0.0.1:1',
      MINIO_ACCESS_KEY: 'a',
      MINIO_SECRET_KEY: 'b',
      MINIO_BUCKET: 'c',
    })
    onTestFinished(() => void alone.stop('SIGKILL'))
    const answer = await fetch(`${alone.url}/health`)
    expect(answer.status).toBe(503)
    expect(await answer.json()).toEqual({
      status: 'unavailable',
      service: 'membridge-control-plane',
      version: VERSION,
      projects: null,
      agents: null,
      store: 'failing',
      database: 'failing',
    })
    expect(await alone.stop()).toBe(0)
    expect(alone.lines().at(-1)).toMatchObject({ msg: 'stopped' })
  })

  test('needs no folder that can be made, and opens its store once there is one', async () => {
    const inTheWay = path.join(home, 'disk')
    await writeFile(inTheWay, '')
    const blocked = await runControlPlane({ DATABASE_URL: database.controlPlaneUrl, BLOOM_HOME: inTheWay })
    onTestFinished(() => void blocked.stop('SIGKILL'))
    const storeNow = async () =>
      ((await (await fetch(`${blocked.url}/health`)).json()) as { store: string }).store
    expect(await storeNow()).toBe('failing')
    await rm(inTheWay)
    await waitUntil(async () => (await storeNow()) === 'ok', { what: 'the store to be opened' })
  })
})

test('a stop answers what was asked, then takes nothing more', async () => {
  const one = await runControlPlane({ DATABASE_URL: database.controlPlaneUrl })
  const { port } = new URL(one.url)
  const body = '{}'
  const socket = net.connect(Number(port), '127.0.0.1')
  let said = ''
  socket.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  socket.write(
    [
      'POST /projects HTTP/1.1',
      'Host: 127.0.0.1',
      `X-MEMBRIDGE-ADMIN: ${ADMIN_KEY}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      'Expect: 100-continue',
      'Connection: close\r\n\r\n',
    ].join('\r\n'),
  )
  await waitUntil(() => said.startsWith('HTTP/1.1 100 '), { what: 'the request to be taken' })
  const stopped = one.stop()
  await waitUntil(() => isRefused(Number(port)), { what: 'the port to be closed' })
  const ended = once(socket, 'close')
  socket.end(body)
  await ended
  expect(said).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 422 /)
  expect(await stopped).toBe(0)
  expect(one.lines().at(-1)).toMatchObject({ msg: 'stopped' })
  expect(one.output()).not.toContain(ADMIN_KEY)
})

/** Whether nobody listens any more. */
function isRefused(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const probe = net.connect(port, '127.0.0.1')
  probe.once('connect', () => resolve(false)).once('error', () => resolve(true))
  return promise.finally(() => probe.destroy())
}
