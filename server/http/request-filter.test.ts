import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errorEnvelope } from '#contracts/error.contract.ts'
import { dropReturnAddress, filterRequests, requestFault } from './request-filter.ts'

const codeOf = (url: string, method = 'GET', headers: Record<string, string> = {}) =>
  requestFault({ method, url, headers: { host: 'localhost:3000', ...headers } })?.code ?? null

describe('refused before the framework', () => {
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
    ['/api/../settings'],
    ['/notes/%2E./x'],
    ['/..'],
    ['/notes/.'],
    ['/nowhere?constructor'],
    ['/nowhere?a=b&construc%74or=x'],
    ['/nowhere?a?&toString'],
    ['/notes?__proto__=x#a'],
    [`/${'a'.repeat(8_192)}`],
  ])('the address %s', (url) => expect(codeOf(url)).toBe('BAD_REQUEST'))

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
  ])('the host %j', (host) => expect(codeOf('/', 'GET', { host })).toBe('BAD_REQUEST'))

  test('a request without a host', () =>
    expect(requestFault({ method: 'GET', url: '/', headers: {} })?.code).toBe('BAD_REQUEST'))

  test.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])('%s to a page', (method) => {
    expect([codeOf('/settings', method), codeOf('/apiary', method)]).toEqual([
      'METHOD_NOT_ALLOWED',
      'METHOD_NOT_ALLOWED',
    ])
    expect([codeOf('/api', method), codeOf('/api/v1/jobs', method), codeOf('/health', method)]).toEqual([
      null,
      null,
      null,
    ])
  })

  test('a method that no request can have, wherever it is sent', () =>
    expect(['TRACE', 'TRACK', 'X'].map((method) => codeOf('/api/v1/jobs', method))).toEqual(
      Array(3).fill('METHOD_NOT_ALLOWED'),
    ))

  test.each([
    [{ 'next-action': 'x' }],
    [{ 'next-router-state-tree': '{' }],
    [{ 'next-router-state-tree': '%' }],
    [{ 'next-router-state-tree': '[1]' }],
    [{ 'next-router-state-tree': '["",{},null,"nonsense"]' }],
    [{ 'next-router-state-tree': JSON.stringify(['x'.repeat(50_000), {}]) }],
  ])('the headers %j', (headers) => expect(codeOf('/settings', 'GET', headers)).toBe('BAD_REQUEST'))
})

test.each([
  ['/'],
  ['/notes/%D0%86%D0%9D%D0%94%D0%95%D0%9A%D0%A1.md?from=1&to=2#x'],
  ["/notes/It's%20(here).md"],
  ['/api/trpc/notes.get?input=%7B%22path%22%3A%22a%00%22%7D'],
  ['/notes?q=constructor&constructors=x#?constructor'],
  ['/api/v1/jobs?constructor'],
  ['/notes?q=[[a]]|b^`{}\\'],
  ['/_next/static/chunks/a~b.js'],
])('%s reaches the framework', (url) => {
  const tree = encodeURIComponent(JSON.stringify(['', { children: ['notes', {}] }, null, 'refetch']))
  expect(codeOf(url, 'GET', { 'next-router-state-tree': tree, rsc: '1' })).toBe(null)
})

test('the cookie of where to return to does not reach the sign-in, however often it comes', () => {
  const headers = {
    cookie: 'garden_back=x; garden_csrf=a;__Host-garden_back=%; garden_session=b; garden_back=y',
  }
  dropReturnAddress(headers)
  expect(headers.cookie).toBe(' garden_csrf=a; garden_session=b')
})

describe('before a server', () => {
  let server: Server
  let reached: string[]
  beforeAll(async () => {
    filterRequests()
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

  test('an answer begins with the security headers, but for the build’s own files', async () => {
    const headersOf = async (path: string, more = '') =>
      (await send(`GET ${path} HTTP/1.1\r\n${head}${more}\r\n`)).split('\r\n\r\n')[0] ?? ''
    const answer = await headersOf('/api/v1/zones?limit=1')
    expect(answer).toMatch(/nosniff/i)
    expect(answer).toMatch(/script-src 'none'/)
    expect(answer).toMatch(/cache-control: no-store\r/i)
    expect(answer).not.toMatch(/strict-transport-security/i)
    expect(await headersOf('/health', 'X-Forwarded-Proto: https\r\n')).toMatch(/strict-transport-security/i)
    expect(await headersOf('/api/v1/events/stream')).toMatch(/cache-control: no-store, no-transform\r/i)
    expect(await headersOf('/messages/abc.js')).not.toMatch(/cache-control/i)
    expect(await headersOf('/_next/static/abc.js')).not.toMatch(/content-security-policy|cache-control/i)
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
