import { expect, it } from 'vitest'
import { keyInClear } from './key-in-clear.ts'
import { PEER_HEADER } from './request-facts.ts'

const PROXY = '10.0.0.1'
const at = (peer: string | null, more: Record<string, string> = {}) =>
  new Headers({ host: 'localhost:8000', ...(peer === null ? {} : { [PEER_HEADER]: peer }), ...more })
const judge = (headers: Headers, lan = false) =>
  keyInClear(headers, { ALLOW_INSECURE_LAN: lan, TRUSTED_PROXIES: [PROXY, '127.0.0.1'] })?.code ?? 'accepted'

const https = { 'x-forwarded-proto': 'https' }
it.each<[string, Headers, string]>([
  ['this machine', at('127.0.0.1'), 'accepted'],
  ['this machine by another of its addresses', at('127.8.0.1'), 'accepted'],
  ['this machine over IPv6', at('::1'), 'accepted'],
  ['this machine over a dual-stack socket', at('::ffff:127.0.0.1'), 'accepted'],
  ['this machine by address', at('127.0.0.1', { host: '127.0.0.1:8000' }), 'accepted'],
  ['this machine by its IPv6 address', at('::1', { host: '[::1]:8000' }), 'accepted'],
  ['this machine without a port', at('127.0.0.1', { host: 'LOCALHOST' }), 'accepted'],
  ['a page whose name leads here', at('127.0.0.1', { host: 'evil.example:8000' }), 'FORBIDDEN'],
  ['a page whose name begins like ours', at('127.0.0.1', { host: 'localhost.evil.example' }), 'FORBIDDEN'],
  ['this machine, without a host', at('127.0.0.1', { host: '' }), 'FORBIDDEN'],
  ['the network', at('10.0.0.9'), 'FORBIDDEN'],
  ['the network, naming this machine', at('10.0.0.9', { host: '127.0.0.1' }), 'FORBIDDEN'],
  ['the network over a dual-stack socket', at('::ffff:10.0.0.9'), 'FORBIDDEN'],
  ['a name that only begins like loopback', at('127.evil.example'), 'FORBIDDEN'],
  ['a socket without an address', at(null), 'FORBIDDEN'],
  ['the network, saying it came over TLS', at('10.0.0.9', https), 'FORBIDDEN'],
  ['the network, saying it is this machine', at('10.0.0.9', { 'x-forwarded-for': '127.0.0.1' }), 'FORBIDDEN'],
  ['a proxy that ended TLS', at(PROXY, { ...https, 'x-forwarded-for': '8.8.8.8' }), 'accepted'],
  ['a proxy on this machine that ended TLS', at('127.0.0.1', https), 'accepted'],
  ['a proxy that took it in clear', at(PROXY, { 'x-forwarded-proto': 'http' }), 'FORBIDDEN'],
  ['a proxy that does not say', at(PROXY, { 'x-forwarded-for': '8.8.8.8' }), 'FORBIDDEN'],
  ['a proxy itself', at(PROXY), 'FORBIDDEN'],
  ['proxies of which one took it in clear', at(PROXY, { 'x-forwarded-proto': 'https, http' }), 'FORBIDDEN'],
  ['proxies over TLS', at(PROXY, { 'x-forwarded-proto': 'https, HTTPS' }), 'accepted'],
  [
    'a proxy beside us that takes clients in clear',
    at('127.0.0.1', { 'x-forwarded-for': '10.0.0.9' }),
    'FORBIDDEN',
  ],
  [
    'a client of it that calls itself this machine',
    at('127.0.0.1', { 'x-forwarded-for': '127.0.0.1' }),
    'FORBIDDEN',
  ],
  [
    'this machine, where the framework added its own words',
    at('127.0.0.1', {
      'x-garden-handed-on': '0',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'http',
    }),
    'accepted',
  ],
  ['a proxy that left no other trace', at('127.0.0.1', { 'x-garden-handed-on': '1' }), 'FORBIDDEN'],
  ['a proxy beside us that nobody configured', at('127.0.0.2', https), 'FORBIDDEN'],
  [
    'whoever was handed on by the standard header',
    at('127.0.0.1', { forwarded: 'for=8.8.8.8' }),
    'FORBIDDEN',
  ],
])('a key from %s', (_, headers, wanted) => expect(judge(headers)).toBe(wanted))

it('is accepted in clear where the owner allowed it for the network', () => {
  expect(judge(at('10.0.0.9'), true)).toBe('accepted')
})
