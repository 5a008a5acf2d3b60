import { mkdtemp, rm } from 'node:fs/promises'
import net from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#server/launch/testing/test-database.ts'
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

  test('has rights enough for itself, and none beyond', () => {
    const complaints = plane.lines().filter(({ level }) => level === 'WARNING' || level === 'ERROR')
    expect(complaints).toEqual([])
  })

  test('is small, as the launcher starts it', async () => {
    const small = await runControlPlane({
      DATABASE_URL: database.controlPlaneUrl,
      BLOOM_HOME: home,
      NODE_OPTIONS: '--max-semi-space-size=2',
    })
    expect(await small.stop()).toBe(0)
    const { rss_mb } = small.lines().find(({ msg }) => msg === 'ready') as { rss_mb: number }
    expect(rss_mb).toBeLessThan(120)
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
  })
})

test('a stop answers what was asked, then takes nothing more', async () => {
  const one = await runControlPlane({ DATABASE_URL: database.controlPlaneUrl, BLOOM_HOME: home })
  const { port } = new URL(one.url)
  const body = '{}'
  const socket = net.connect(Number(port), '127.0.0.1')
  socket.write(
    `POST /ui HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`,
  )
  const stopped = one.stop()
  socket.end(`Connection: close\r\n\r\n${body}`)
  expect((await socket.toArray()).join('')).toMatch(/^HTTP\/1\.1 405 /)
  expect(await stopped).toBe(0)
  await expect(fetch(`${one.url}/health`)).rejects.toThrow()
  expect(one.lines().at(-1)).toMatchObject({ msg: 'stopped' })
  expect(one.output()).not.toContain(ADMIN_KEY)
})
