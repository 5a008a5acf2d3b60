import { createHash, randomBytes } from 'node:crypto'
import { KEY_ID_BYTES, KEY_SECRET_BYTES, keyText } from '#domain/machine-key/key-form.rules.ts'

/** A new key: its id, its whole text, which goes to whoever asked for it and nowhere else, and the hash that the ledger keeps. */
export function newKey(): { keyId: string; text: string; hash: string } {
  const keyId = randomBytes(KEY_ID_BYTES).toString('hex')
  const text = keyText(keyId, randomBytes(KEY_SECRET_BYTES).toString('base64url'))
  return { keyId, text, hash: keyHash(text) }
}

/** Of the whole text, so that a hash belongs to its id. A plain digest: 256 random bits are found by nobody who tries. */
export const keyHash = (text: string): string => createHash('sha256').update(text).digest('hex')
