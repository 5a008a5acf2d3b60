import { describe, expect, test } from 'vitest'
import { adminKeyRefusal, sentInClearText } from './admin-key.ts'
import { PEER_HEADER } from './request-facts.ts'

const KEY = 'a'.repeat(43)
const ENV = { MEMBRIDGE_ADMIN_KEY: KEY, MEMBRIDGE_DEV: false, TRUSTED_PROXIES: [], ALLOW_INSECURE_LAN: false }
const LOCAL = { [PEER_HEADER]: '127.0.0.1' }
const FAR = { [PEER_HEADER]: '10.1.2.3' }
const refusal = (headers: Record<string, string>, more: Partial<typeof ENV> = {}) =>
  adminKeyRefusal({ ...ENV, ...more }, new Headers(headers))?.code ?? null

describe('the admin key', () => {
  test.each([
    ['is taken', { ...LOCAL, 'x-membridge-admin': KEY }, null],
    ['is missing', LOCAL, 'AUTH_REQUIRED'],
    ['is empty', { ...LOCAL, 'x-membridge-admin': '' }, 'AUTH_REQUIRED'],
    ['is another', { ...LOCAL, 'x-membridge-admin': KEY.toUpperCase() }, 'AUTH_REQUIRED'],
    ['is longer', { ...LOCAL, 'x-membridge-admin': `${KEY}a` }, 'AUTH_REQUIRED'],
    ['came under the name of the agent key', { ...LOCAL, 'x-membridge-agent': KEY }, 'AUTH_REQUIRED'],
    ['came as a bearer', { ...LOCAL, authorization: `Bearer ${KEY}` }, 'AUTH_REQUIRED'],
    ['came over plain HTTP from elsewhere', { ...FAR, 'x-membridge-admin': KEY }, 'FORBIDDEN'],
    ['was wrong, and over plain HTTP', { ...FAR, 'x-membridge-admin': 'x' }, 'FORBIDDEN'],
    ['was not sent from elsewhere', FAR, 'AUTH_REQUIRED'],
  ])('that %s', (_, headers, code) => {
    expect(refusal(headers)).toBe(code)
  })

  test('may cross a network that is trusted as a whole, and is not asked for in development', () => {
    expect(refusal({ ...FAR, 'x-membridge-admin': KEY }, { ALLOW_INSECURE_LAN: true })).toBeNull()
    expect(refusal({ ...FAR, 'x-membridge-admin': 'x' }, { ALLOW_INSECURE_LAN: true })).toBe('AUTH_REQUIRED')
    expect(refusal(LOCAL, { MEMBRIDGE_DEV: true })).toBeNull()
  })
})

describe('a request is in clear text', () => {
  const PROXY = '10.0.0.2'
  const by = (peer: string, forwarded: Record<string, string> = {}) =>
    sentInClearText(new Headers({ [PEER_HEADER]: peer, ...forwarded }), [PROXY])

  test.each([
    ['from this machine', by('127.0.0.1'), false],
    ['from this machine by IPv6', by('::1'), false],
    ['from this machine by IPv4 in IPv6', by('::ffff:127.0.0.1'), false],
    ['from elsewhere', by('10.1.2.3'), true],
    ['from an unknown peer', by('unknown'), true],
    [
      'through a proxy that ended TLS',
      by(PROXY, { 'x-forwarded-proto': 'https', 'x-forwarded-for': '8.8.8.8' }),
      false,
    ],
    [
      'through a proxy over http',
      by(PROXY, { 'x-forwarded-proto': 'http', 'x-forwarded-for': '8.8.8.8' }),
      true,
    ],
    ['through a proxy that says nothing', by(PROXY, { 'x-forwarded-for': '8.8.8.8' }), true],
    ['from a stranger who says TLS', by('10.1.2.3', { 'x-forwarded-proto': 'https' }), true],
    ['from a stranger who says loopback', by('10.1.2.3', { 'x-forwarded-for': '127.0.0.1' }), true],
    [
      'through a proxy whose client says TLS',
      by(PROXY, { 'x-forwarded-proto': 'https, http', 'x-forwarded-for': '8.8.8.8' }),
      true,
    ],
  ])('%s', (_, found, clear) => {
    expect(found).toBe(clear)
  })
})
