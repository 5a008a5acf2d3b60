import { describe, expect, test } from 'vitest'
import { adminKeyRefusal } from './admin-key.ts'
import { PEER_HEADER } from './request-facts.ts'

const KEY = 'a'.repeat(43)
const ENV = { MEMBRIDGE_ADMIN_KEY: KEY, MEMBRIDGE_DEV: false, TRUSTED_PROXIES: [], ALLOW_INSECURE_LAN: false }
const LOCAL = { [PEER_HEADER]: '127.0.0.1', host: '127.0.0.1:8000' }
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

  test.each([
    ['a page that had its name lead here', { ...LOCAL, host: 'evil.example' }],
    ['a proxy', { ...LOCAL, 'x-forwarded-for': '10.1.2.3' }],
    ['the network', { ...FAR, host: '127.0.0.1' }],
  ])('is asked of %s also in development', (_, headers) => {
    expect(refusal(headers, { MEMBRIDGE_DEV: true })).toBe('AUTH_REQUIRED')
  })
})
