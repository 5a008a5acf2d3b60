/**
 * A kept answer as it is stored: AES-256-GCM under a key that is derived (HKDF-SHA256) from the session key of this installation, the
 * request's Idempotency-Key and the caller. The two keys are not in the ledger, so a dump of it shows no code, link or token that an
 * answer carried; whoever repeats the request gets it again. Layout: 12 bytes nonce, 16 bytes tag, ciphertext.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const CIPHER = 'aes-256-gcm'
const NONCE = 12
const TAG = 16

/** Whom the answer belongs to; the same three open it. */
export type AnswerReader = { secret: string; identity: string; idempotencyKey: string }

const keyOf = ({ secret, identity, idempotencyKey }: AnswerReader): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, idempotencyKey, `kept answer:${identity}`, 32))

export function encryptAnswer(answer: unknown, to: AnswerReader): Uint8Array {
  const nonce = randomBytes(NONCE)
  const cipher = createCipheriv(CIPHER, keyOf(to), nonce)
  const text = Buffer.concat([cipher.update(JSON.stringify(answer ?? null)), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), text])
}

/** The answer, or `undefined` when it was encrypted for somebody else, under another session key, or is damaged. */
export function decryptAnswer(encrypted: Uint8Array, to: AnswerReader): unknown {
  if (encrypted.length < NONCE + TAG) return undefined
  try {
    const decipher = createDecipheriv(CIPHER, keyOf(to), encrypted.subarray(0, NONCE))
    decipher.setAuthTag(encrypted.subarray(NONCE, NONCE + TAG))
    const text = Buffer.concat([decipher.update(encrypted.subarray(NONCE + TAG)), decipher.final()])
    return JSON.parse(text.toString())
  } catch {
    return undefined
  }
}
