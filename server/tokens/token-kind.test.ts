import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { tokenKind } from './token-kind.ts'

const KEY = 'k'.repeat(43)
const shape = z.object({ sub: z.string(), fence: z.number() })
const write = tokenKind('write', shape)
const read = tokenKind('read', shape)
const lifetime = { issuedAt: new Date(1_000_000), expiresAt: new Date(2_000_999) }
const claims = { sub: 'a', fence: 3 }

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('a signed token', () => {
  it('says what was signed, also after its end, which is kept in whole seconds', async () => {
    const token = await write.sign(KEY, claims, lifetime)
    expect(await write.read(KEY, token)).toEqual({ claims, expiresAt: new Date(2_000_000) })
    expect(await write.sign(KEY, claims, lifetime)).toBe(token)
  })

  it('is nothing for another purpose, under another key, of another shape or altered', async () => {
    const token = await write.sign(KEY, claims, lifetime)
    const [head, body, mac] = token.split('.') as [string, string, string]
    const said = JSON.parse(Buffer.from(body, 'base64url').toString())
    const other = tokenKind('write', z.object({ sub: z.string() }))
    const altered = [
      `${head}.${encoded({ ...said, fence: 4 })}.${mac}`,
      `${encoded({ alg: 'none' })}.${body}.`,
      await other.sign(KEY, { sub: 'a' }, lifetime),
      `${token}x`,
      `${head}.${body}`,
      '',
      'a'.repeat(5_000),
    ]
    for (const bad of altered) expect(await write.read(KEY, bad)).toBeNull()
    expect(await read.read(KEY, token)).toBeNull()
    expect(await write.read(`other-${KEY}`, token)).toBeNull()
  })
})
