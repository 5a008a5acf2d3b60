import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { type KeyFault, keyFault, type NamedKey } from './key-fault.rules.ts'
import { keyIdOf, keyText } from './key-form.rules.ts'
import type { KeyKind } from './key-kinds.ts'

describe('the form of a key', () => {
  const hex = fc.stringMatching(/^[0-9a-f]{16}$/)
  const secret = fc
    .uint8Array({ minLength: 32, maxLength: 32 })
    .map((b) => Buffer.from(b).toString('base64url'))

  test('gives its id back, whatever signs its secret holds', () => {
    fc.assert(fc.property(hex, secret, (id, text) => keyIdOf(keyText(id, text)) === id))
  })

  const ID = '0123456789abcdef'
  const SECRET = `a_-${'b'.repeat(40)}`
  it.each([
    '',
    'gbk_',
    `gbk_${ID}`,
    `gbk_${ID}_`,
    `gbk_${ID}_${SECRET}x`,
    `gbk_${ID}_${SECRET.slice(1)}`,
    `GBK_${ID}_${SECRET}`,
    `gbk_${ID.toUpperCase()}_${SECRET}`,
    ` gbk_${ID}_${SECRET}`,
    `gbk_${ID}_${SECRET}\n`,
    `gbk_${ID}_${SECRET.slice(1)}\0`,
    `gbk_${ID}_${SECRET.slice(1)}é`,
  ])('is not that of %j', (text) => expect(keyIdOf(text)).toBeNull())
})

describe('a key that is presented', () => {
  const other = 'another' as KeyKind
  it.each<[NamedKey | null, KeyFault | null]>([
    [null, 'unknown key'],
    [{ kind: 'node', status: 'active', genuine: true }, null],
    [{ kind: 'node', status: 'expired', genuine: true }, 'expired key'],
    [{ kind: 'node', status: 'revoked', genuine: true }, 'revoked key'],
    [{ kind: other, status: 'active', genuine: true }, 'wrong kind of key'],
    [{ kind: other, status: 'revoked', genuine: true }, 'wrong kind of key'],
    [{ kind: 'node', status: 'active', genuine: false }, 'unknown key'],
    [{ kind: 'node', status: 'revoked', genuine: false }, 'unknown key'],
    [{ kind: other, status: 'active', genuine: false }, 'unknown key'],
  ])('%j: %s', (key, fault) => expect(keyFault(key, 'node')).toBe(fault))
})
