import { createServer, get, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { expect, onTestFinished, test } from 'vitest'
import { clientAddress } from '#server/auth/request-facts.ts'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { stampPeerAddresses } from './peer-address.ts'

const SPOOFED = { 'x-garden-peer': '6.6.6.6', 'X-Garden-Handed-On': '1' }
/** What a server says to a client that claims to be another; sent in clear, as raw headers. */
async function answerTo(server: Server, more: Record<string, string> = {}): Promise<string> {
  const { port } = server.address() as AddressInfo
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const options = { port, host: '127.0.0.1', headers: { ...SPOOFED, ...more }, agent: false }
    get(options, resolve).on('error', reject)
  })
  return (await answer.toArray()).join('')
}

test('a request is stamped alike for readers of parsed headers, of raw ones and of all of them', async () => {
  stampPeerAddresses()
  const node = createServer(({ headers, headersDistinct, rawHeaders }, response) => {
    const raw = rawHeaders.filter((_, i) => rawHeaders[i - (i % 2)]?.toLowerCase().startsWith('x-garden-'))
    response.end(JSON.stringify([headers['x-garden-peer'], headersDistinct['x-garden-peer'], raw]))
  })
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void node.close())
  expect(JSON.parse(await answerTo(node))).toEqual([
    '127.0.0.1',
    ['127.0.0.1'],
    ['x-garden-peer', '127.0.0.1', 'x-garden-handed-on', '0'],
  ])
  const web = serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ headers }) => {
      const first = headers.get('x-garden-peer')
      const copy = new Headers(headers)
      return Response.json([first, copy.get('x-garden-peer'), copy.get('x-garden-handed-on')])
    },
  }) as Server
  await waitUntil(() => web.address())
  onTestFinished(() => void web.close())
  expect(JSON.parse(await answerTo(web))).toEqual(['127.0.0.1', '127.0.0.1', '0'])
  expect(JSON.parse(await answerTo(web, { forwarded: 'for=8.8.8.8' }))).toEqual([
    '127.0.0.1',
    '127.0.0.1',
    '1',
  ])
})

test.each([
  ['10.0.0.1', '6.6.6.6', [], '10.0.0.1'],
  ['10.0.0.1', '6.6.6.6', ['10.0.0.1'], '6.6.6.6'],
  ['10.0.0.1', '6.6.6.6, 7.7.7.7', ['10.0.0.1'], '7.7.7.7'],
  ['10.0.0.1', '6.6.6.6, 7.7.7.7, 10.0.0.2', ['10.0.0.1', '10.0.0.2'], '7.7.7.7'],
  ['::ffff:10.0.0.1', '', ['10.0.0.1'], '10.0.0.1'],
] as const)('peer %s, forwarded %s, proxies %j: the client is %s', (peer, forwarded, proxies, client) => {
  const headers = new Headers({
    'x-garden-peer': peer,
    ...(forwarded ? { 'x-forwarded-for': forwarded } : {}),
  })
  expect(clientAddress(headers, [...proxies])).toBe(client)
})
