/**
 * The key that signs heads of the audit [audit#signed-heads]: Ed25519, its seed is the SHA-256 of `AUDIT_SIGNING_KEY`, which lies with
 * the other secrets of the home. A key is named by the first 16 hex digits of the SHA-256 of its public half.
 */
import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import type { Env } from '#server/env.ts'

/** PKCS #8 of an Ed25519 key is this and the 32 bytes of its seed (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex')

export type SigningKey = { keyId: string; privateKey: KeyObject; publicKey: KeyObject }

export const keyIdOf = (publicKey: KeyObject): string =>
  createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 16)

export function signingKeyOf(env: Pick<Env, 'AUDIT_SIGNING_KEY'>): SigningKey {
  const seed = createHash('sha256').update(env.AUDIT_SIGNING_KEY).digest()
  const privateKey = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' })
  const publicKey = createPublicKey(privateKey)
  return { keyId: keyIdOf(publicKey), privateKey, publicKey }
}

/** The public half as it is published. */
export const pemOf = (publicKey: KeyObject): string =>
  String(publicKey.export({ type: 'spki', format: 'pem' }))
