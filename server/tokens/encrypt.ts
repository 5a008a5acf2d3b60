/**
 * What lies encrypted in the ledger: AES-256-GCM under a key that its owner derives from a secret which is not there, so that a dump of the ledger
 * shows nothing. Layout: 12 bytes nonce, 16 bytes tag, ciphertext.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const CIPHER = 'aes-256-gcm'
const NONCE = 12
const TAG = 16

/** @param key 32 bytes */
export function encrypt(text: string, key: Uint8Array): Uint8Array {
  const nonce = randomBytes(NONCE)
  const cipher = createCipheriv(CIPHER, key, nonce)
  const sealed = Buffer.concat([cipher.update(text), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
}

/** The text, or null when it was encrypted under another key or is damaged. */
export function decrypt(encrypted: Uint8Array, key: Uint8Array): string | null {
  if (encrypted.length < NONCE + TAG) return null
  try {
    const decipher = createDecipheriv(CIPHER, key, encrypted.subarray(0, NONCE))
    decipher.setAuthTag(encrypted.subarray(NONCE, NONCE + TAG))
    return Buffer.concat([decipher.update(encrypted.subarray(NONCE + TAG)), decipher.final()]).toString()
  } catch {
    return null
  }
}
