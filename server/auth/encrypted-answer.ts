/**
 * A kept answer as it is stored: encrypted (server/tokens/encrypt.ts) under a key that is derived (HKDF-SHA256) from the session key of this installation, the
 * request's Idempotency-Key and the caller. The two keys are not in the ledger, so a dump of it shows no code, link or token that an
 * answer carried; whoever repeats the request gets it again.
 */
import { hkdfSync } from 'node:crypto'
import { decrypt, encrypt } from '#server/tokens/encrypt.ts'

/** Whom the answer belongs to; the same three open it. */
export type AnswerReader = { secret: string; identity: string; idempotencyKey: string }

const keyOf = ({ secret, identity, idempotencyKey }: AnswerReader): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', secret, idempotencyKey, `kept answer:${identity}`, 32))

export const encryptAnswer = (answer: unknown, to: AnswerReader): Uint8Array =>
  encrypt(JSON.stringify(answer ?? null), keyOf(to))

/** The answer, or `undefined` when it was encrypted for somebody else, under another session key, or is damaged. */
export function decryptAnswer(encrypted: Uint8Array, to: AnswerReader): unknown {
  const text = decrypt(encrypted, keyOf(to))
  return text === null ? undefined : JSON.parse(text)
}
