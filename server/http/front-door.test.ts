import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errorEnvelope } from '#contracts/error.contract.ts'
import { doorFault, openFrontDoor } from './front-door.ts'

const knock = (url: string, method = 'GET', headers: Record<string, string> = {}) =>
  doorFault({ method, url, headers: { host: 'localhost:3000', ...headers } })?.code ?? null

describe('the door refuses', () => {
  test.each([
    ['//evil.example/x'],
    ['http://evil.example/'],
    ['*'],
    ['/%'],
    ['/%ff'],
    ['/notes/%c0%af'],
    ['/a%00b'],
    ['/a\\b'],
    ['/a b'],
    ['/\u00e9'],
    ['/a"b'],
    ['/api/v1/jobs/%ff'],
    [`/${'a'.repeat(8_192)}`],
  ])('the address %s', (url) => expect(knock(url)).toBe('BAD_REQUEST'))

  test.each([
    ['a b'],
    ['a/b'],
    ['[::1'],
    ['a:99999'],
    ['a:b'],
    ['a@b'],
    [''],
    ['%'],
    ['\u00e9'],
    ['1.2.3.999'],
  ])('the host %j', (host) => expect(knock('/', 'GET', { host })).toBe('BAD_REQUEST'))

  test('a request without a host', () =>
    expect(doorFault({ method: 'GET', url: '/', headers: {} })?.code).toBe('BAD_REQUEST'))

  test.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND'])('%s to a page', (method) => {
    expect([knock('/settings', method), knock('/apiary', method)]).toEqual([
      'METHOD_NOT_ALLOWED',
      'METHOD_NOT_ALLOWED',
    ])
    expect([knock('/api', method), knock('/api/v1/jobs', method), knock('/health', method)]).toEqual([
      null,
      null,
      null,
    ])
  })

  test('a method that no request can have, wherever it is sent', () =>
    expect(['TRACE', 'TRACK', 'X'].map((method) => knock('/api/v1/jobs', method))).toEqual(
      Array(3).fill('METHOD_NOT_ALLOWED'),
    ))

  test.each([
    [{ 'next-action': 'x' }],
    [{ 'next-router-state-tree': '{' }],
    [{ 'next-router-state-tree': '%' }],
    [{ 'next-router-state-tree': '[1]' }],
    [{ 'next-router-state-tree': '["",{},null,"nonsense"]' }],
    [{ 'next-router-state-tree': JSON.stringify(['x'.repeat(50_000), {}]) }],
  ])('the headers %j', (headers) => expect(knock('/settings', 'GET', headers)).toBe('BAD_REQUEST'))
})

test.each([
  ['/'],
  ['/notes/%D0%86%D0%9D%D0%94%D0%95%D0%9A%D0%A1.md?from=1&to=2#x'],
  ["/notes/It's%20(here).md"],
  ['/api/trpc/notes.get?input=%7B%22json%22%3A%7B%22path%22%3A%22a%00%22%7D%7D'],
  ['/notes?q=[[a]]|b^`{}\\'],
  ['/_next/static/chunks/a~b.js'],
])('the door lets %s through', (url) => {
  const tree = encodeURIComponent(JSON.stringify(['', { children: ['notes', {}] }, null, 'refetch']))
  expect(knock(url, 'GET', { 'next-router-state-tree': tree, rsc: '1' })).toBe(null)
})

describe('before a server', () => {
  let server: Server
  let reached: string[]
  beforeAll(async () => {
    openFrontDoor()
    reached = []
    server = createServer((request, response) => {
      reached.push(request.url ?? '')
      response.end('inside')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  afterAll(() => new Promise((resolve) => server.close(resolve)))

  /** What is answered to these bytes. */
  const send = (bytes: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1', () => socket.write(bytes))
      let text = ''
      socket.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
      })
      socket.on('close', () => resolve(text)).on('error', reject)
    })
  const head = 'Host: localhost\r\nConnection: close\r\n'

  test('nothing odd reaches it, from the first request on', async () => {
    expect(await send(`GET /%ff HTTP/1.1\r\n${head}\r\n`)).toMatch(/^HTTP\/1\.1 400 .*text\/plain/s)
    expect(await send(`POST /settings HTTP/1.1\r\n${head}Content-Length: 3\r\n\r\nabc`)).toMatch(
      /^HTTP\/1\.1 405 .*allow: GET, HEAD/s,
    )
    expect(reached).toEqual([])
    expect(await send(`GET /inbox HTTP/1.1\r\n${head}\r\n`)).toMatch(/^HTTP\/1\.1 200 .*inside$/s)
    expect(reached).toEqual(['/inbox'])
  })

  test('an API address is refused in the envelope, with the security headers', async () => {
    const answer = await send(`GET /api/v1/%00 HTTP/1.1\r\n${head}\r\n`)
    const [headers = '', body = ''] = answer.split('\r\n\r\n')
    expect(headers).toMatch(/nosniff/i)
    expect(headers).toMatch(/default-src 'none'/i)
    expect(
      errorEnvelope.parse(JSON.parse(body.slice(body.indexOf('{'), body.lastIndexOf('}') + 1))).error.code,
    ).toBe('BAD_REQUEST')
  })
})
