import { describe, expect, it, vi } from 'vitest'
import { contentSecurityPolicy, isUnderTls, newNonce, securityHeaders } from './headers.ts'

describe('the security headers of an answer', () => {
  it('is the policy of the contract, and what an installed console needs, word by word', () => {
    expect(contentSecurityPolicy({ nonce: 'abc' })).toBe(
      "default-src 'none'; script-src 'nonce-abc' 'strict-dynamic'; style-src 'self' 'nonce-abc'; img-src 'self' data:; " +
        "font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    )
  })
  it('lets nothing run where there is no document', () => {
    const policy = contentSecurityPolicy({ nonce: null })
    expect(policy).toContain("script-src 'none'")
    expect(policy).not.toContain('nonce-')
  })
  it('allows eval and inline styles to the development server alone', () => {
    expect(contentSecurityPolicy({ nonce: 'abc', development: true })).toContain("'unsafe-eval'")
    expect(contentSecurityPolicy({ nonce: 'abc', development: true })).toContain(
      "style-src 'self' 'unsafe-inline'",
    )
    expect(contentSecurityPolicy({ nonce: 'abc' })).not.toContain('unsafe-inline')
    expect(contentSecurityPolicy({ nonce: 'abc' })).not.toContain('unsafe')
  })
  it('carries every header of section 8', () => {
    expect(securityHeaders({ nonce: null, secure: false })).toMatchObject({
      'X-Content-Type-Options': 'nosniff',
      'X-Frame-Options': 'DENY',
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Cache-Control': 'no-store',
    })
  })
  it('turns every feature off', () => {
    const policy = securityHeaders({ nonce: null, secure: false })['Permissions-Policy'] ?? ''
    expect(policy.split(', ').every((feature) => /^[a-z-]+=\(\)$/.test(feature))).toBe(true)
    expect(policy).toContain('camera=()')
  })
  it('speaks of transport security under TLS alone', () => {
    const name = 'Strict-Transport-Security'
    expect(securityHeaders({ nonce: null, secure: true })[name]).toBe('max-age=31536000; includeSubDomains')
    expect(securityHeaders({ nonce: null, secure: false })[name]).toBeUndefined()
  })
  it.each([
    [undefined, undefined, false],
    ['http', undefined, false],
    ['https', undefined, true],
    ['HTTPS, http', undefined, true],
    ['http, https', undefined, false],
    [undefined, 'http://console.example', false],
    ['http', 'https://console.example', true],
  ])('with the schemes %s and the address %s a browser is under TLS: %s', (schemes, address, expected) => {
    vi.stubEnv('PUBLIC_URL', address)
    expect(isUnderTls(schemes)).toBe(expected)
    vi.unstubAllEnvs()
  })
  it('gives a new nonce of 128 bits each time', () => {
    const nonces = new Set(Array.from({ length: 100 }, newNonce))
    expect(nonces.size).toBe(100)
    for (const nonce of nonces) expect(atob(nonce)).toHaveLength(16)
  })
})
