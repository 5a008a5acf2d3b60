import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { clientAddress } from '#server/auth/request-facts.ts'
import { stampPeerAddresses } from './peer-address.ts'

test('a request carries the address of its socket, whatever its own headers say', async () => {
  stampPeerAddresses()
  const server = createServer((request, response) => response.end(String(request.headers['x-garden-peer'])))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const headers = { 'x-garden-peer': '6.6.6.6', 'x-forwarded-for': '6.6.6.6' }
  const peer = await new Promise<string>((resolve, reject) => {
    get({ port, host: '127.0.0.1', headers, agent: false }, (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString()
      })
      response.on('end', () => resolve(text))
    }).on('error', reject)
  })
  await new Promise((resolve) => server.close(resolve))
  expect(peer).toBe('127.0.0.1')
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
