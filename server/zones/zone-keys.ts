import { createHmac, randomBytes } from 'node:crypto'
import { CODE_BYTES, zoneCode } from '#domain/zone/zone-code.rules.ts'

const hmacHex = (key: string, text: string): string => createHmac('sha256', key).update(text).digest('hex')

/** Codes and link tokens are kept as keyed hashes only: enough to look one up, nothing to read one from. */
export const codeHash = (key: string, code: string): string => hmacHex(key, `code:${code}`)
export const linkHash = (key: string, zoneId: string, token: string): string =>
  hmacHex(key, `link:${zoneId}:${token}`)

export const newCode = (): string => zoneCode(randomBytes(CODE_BYTES))
export const newToken = (): string => randomBytes(32).toString('base64url')
export const newZoneId = (): string => randomBytes(4).toString('hex')
