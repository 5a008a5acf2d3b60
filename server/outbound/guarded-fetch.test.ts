import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, LookupFunction } from 'node:net'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { addressList, mayConnect } from './address-rules.ts'
import { createGuardedFetch, type OutboundRules, parseOrigin } from './guarded-fetch.ts'

const open: (Server | { close(): unknown })[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

type Handler = (req: IncomingMessage, res: ServerResponse) => void
async function serve(handler: Handler): Promise<{ origin: string; port: number; seen: string[] }> {
  const seen: string[] = []
  const server = createServer((req, res) => {
    seen.push(`${req.method} ${req.url}`)
    handler(req, res)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.push({
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  })
  const { port } = server.address() as AddressInfo
  return { origin: `http://127.0.0.1:${port}`, port, seen }
}

function guard(rules: OutboundRules) {
  const made = createGuardedFetch(rules)
  open.push(made)
  return made
}

const json: Handler = (_, res) => res.setHeader('content-type', 'application/json').end('{"a":1}')
/** A name server of the test: the nth question gets the nth answer, the last one for ever. */
const names = (...answers: string[][]): LookupFunction => {
  let asked = 0
  return (_host, _options, callback) => {
    const answer = answers[Math.min(asked++, answers.length - 1)] ?? []
    callback(
      null,
      answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }
}

describe('guarded fetch', () => {
  it('reaches a listed origin and gives its body', async () => {
    const { origin } = await serve(json)
    const answer = await guard({ origins: [origin] }).fetch(`${origin}/x?y=1`)
    expect([answer.status, answer.body.toString()]).toEqual([200, '{"a":1}'])
  })

  it('posts with headers and gives the status of a refusal', async () => {
    const { origin } = await serve((req, res) => {
      res.statusCode = req.headers.authorization === 'Bearer t' ? 409 : 500
      res.end('<html>no</html>')
    })
    const answer = await guard({ origins: [origin] }).fetch(origin, {
      method: 'POST',
      headers: { authorization: 'Bearer t' },
      body: '{}',
    })
    expect([answer.status, answer.body.length]).toEqual([409, 0])
  })

  it('sends nothing to an origin that is not listed: scheme, host and port count', async () => {
    const { port, seen } = await serve(json)
    const { fetch } = guard({
      origins: [`http://127.0.0.1:${port + 1}`, `https://127.0.0.1:${port}`, `http://localhost:${port}`],
    })
    const urls = [
      `http://127.0.0.1:${port}/`,
      `http://127.0.0.1.:${port}/`,
      `http://0x7f.1:${port}/`,
      `http://[::1]:${port}/`,
      'file:///etc/passwd',
      'http://localhost@127.0.0.1/',
      'nonsense',
    ]
    for (const url of urls) await expect(fetch(url), url).rejects.toMatchObject({ reason: 'origin' })
    expect(seen).toEqual([])
  })

  it('refuses credentials in the address', async () => {
    const { origin, seen } = await serve(json)
    await expect(
      guard({ origins: [origin] }).fetch(origin.replace('http://', 'http://u:p@')),
    ).rejects.toMatchObject({ reason: 'origin' })
    expect(seen).toEqual([])
  })

  it.each([
    [['127.0.0.1']],
    [['10.0.0.1']],
    [['169.254.169.254']],
    [['::1']],
    [['::ffff:127.0.0.1']],
    [['93.184.216.34', '127.0.0.1']],
    [[]],
  ])('does not connect a listed name that leads to %j', async (addresses) => {
    const { port, seen } = await serve(json)
    const { fetch } = guard({ origins: [`http://garden.example:${port}`], lookup: names(addresses) })
    await expect(fetch(`http://garden.example:${port}/`)).rejects.toMatchObject({ reason: 'address' })
    expect(seen).toEqual([])
  })

  it('checks the address at every connect, so that a name cannot change in between', async () => {
    const { port, seen } = await serve((_, res) =>
      res.setHeader('connection', 'close').setHeader('content-type', 'text/plain').end('x'),
    )
    const { fetch } = guard({
      origins: [`http://garden.example:${port}`],
      addresses: ['127.0.0.0/30'],
      lookup: names(['127.0.0.1'], ['127.0.0.9']),
    })
    expect((await fetch(`http://garden.example:${port}/`)).status).toBe(200)
    await expect(fetch(`http://garden.example:${port}/`)).rejects.toMatchObject({ reason: 'address' })
    expect(seen).toHaveLength(1)
  })

  it('follows no redirect', async () => {
    const target = await serve(json)
    const { origin } = await serve((_, res) => res.writeHead(302, { location: target.origin }).end())
    await expect(guard({ origins: [origin, target.origin] }).fetch(origin)).rejects.toMatchObject({
      reason: 'redirect',
    })
    expect(target.seen).toEqual([])
  })

  it.each([
    ['announced', true],
    ['not announced', false],
  ])('stops above the size when it is %s', async (_, announced) => {
    const { origin } = await serve((_req, res) => {
      res.setHeader('content-type', 'text/plain')
      if (announced) res.setHeader('content-length', 2000)
      res.write('x'.repeat(1000))
      res.end('x'.repeat(1000))
    })
    await expect(guard({ origins: [origin], maxBytes: 1999 }).fetch(origin)).rejects.toMatchObject({
      reason: 'size',
    })
    expect((await guard({ origins: [origin], maxBytes: 2000 }).fetch(origin)).body).toHaveLength(2000)
  })

  it.each([
    ['image/png', {}],
    ['text', {}],
    ['application/json', { 'content-encoding': 'gzip' }],
  ])('takes no answer of type %s %j', async (type, headers) => {
    const { origin } = await serve((_, res) =>
      res.writeHead(200, { 'content-type': type, ...headers }).end('{}'),
    )
    await expect(guard({ origins: [origin] }).fetch(origin)).rejects.toMatchObject({ reason: 'type' })
  })

  it('gives up on a side that does not answer, and on a caller that stops', async () => {
    const { origin } = await serve(() => undefined)
    await expect(guard({ origins: [origin], timeoutMs: 50 }).fetch(origin)).rejects.toMatchObject({
      name: 'OutboundFailed',
    })
    const stop = new AbortController()
    const asked = guard({ origins: [origin] }).fetch(origin, { signal: stop.signal })
    stop.abort(new Error('cancelled'))
    await expect(asked).rejects.toThrow('cancelled')
  })

  it('says that a dead side did not answer, without the path of the address', async () => {
    const fail = guard({ origins: ['http://127.0.0.1:9'] }).fetch('http://127.0.0.1:9/secret?token=1')
    await expect(fail).rejects.toThrow(/^http:\/\/127\.0\.0\.1:9 did not answer \(ECONNREFUSED\)$/u)
  })

  it.each(['http://a.example/x', 'http://a.example?x', 'ftp://a.example', 'a.example', 'http://u@a.example'])(
    'does not take %s for an origin',
    (text) => {
      expect(() => parseOrigin(text)).toThrow()
    },
  )
})

describe('addresses', () => {
  const none = addressList([])
  it.each(['8.8.8.8', '2606:4700::1111', '::ffff:8.8.8.8'])('%s is public', (a) =>
    expect(mayConnect(a, none)).toBe(true),
  )
  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '127.9.9.9',
    '172.31.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '169.254.1.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:10.0.0.1',
    '::ffff:a00:1',
    'fe80::1',
    'fd00::1',
    'ff02::1',
    '64:ff9b::a00:1',
    '2002:a00:1::',
    'garden',
    '',
  ])('%s is not', (a) => expect(mayConnect(a, none)).toBe(false))

  it('lets through what is listed, alone or as a network', () => {
    const listed = addressList(['10.1.0.0/16', '::1'])
    expect(['10.1.255.1', '::ffff:10.1.0.1', '::1'].map((a) => mayConnect(a, listed))).toEqual([
      true,
      true,
      true,
    ])
    expect(['10.2.0.1', '127.0.0.1'].map((a) => mayConnect(a, listed))).toEqual([false, false])
    expect(() => addressList(['garden.example'])).toThrow()
  })

  it('never lets a private IPv4 address through in IPv6 clothes', () => {
    const byte = fc.integer({ min: 0, max: 255 })
    fc.assert(
      fc.property(fc.tuple(byte, byte, byte), ([b, c, d]) => {
        const hex = `${((10 << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
        expect(mayConnect(`::ffff:10.${b}.${c}.${d}`, none)).toBe(false)
        expect(mayConnect(`::ffff:${hex}`, none)).toBe(false)
        expect(mayConnect(`0:0:0:0:0:ffff:${hex}`, none)).toBe(false)
      }),
      { seed: 17 },
    )
  })
})
