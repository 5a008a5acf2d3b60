/**
 * The address of a context snapshot: its path and end are the claims of a token of which the address carries the signature alone.
 */
import { z } from 'zod'
import { sameSecret } from '#server/tokens/same-secret.ts'
import { tokenKind } from '#server/tokens/token-kind.ts'

/** A context's address is valid for fifteen minutes, longer than the call it serves. */
export const ADDRESS_SECONDS = 900

const addresses = tokenKind('context', z.object({ sub: z.string() }))

async function signatureOf(key: string, sha256: string, end: number): Promise<string> {
  const lifetime = { issuedAt: new Date((end - ADDRESS_SECONDS) * 1000), expiresAt: new Date(end * 1000) }
  const token = await addresses.sign(key, { sub: sha256 }, lifetime)
  return token.slice(token.lastIndexOf('.') + 1)
}

/** By the database's clock, so that the clocks of worker and gateway need not agree: the path below the gateway's `/api/v1` under which the snapshot is read without any other right. */
export async function signContextPath(key: string, sha256: string, now: Date): Promise<string> {
  const end = Math.floor(now.getTime() / 1000) + ADDRESS_SECONDS
  return `/contexts/${sha256}.json?expires=${end}&signature=${await signatureOf(key, sha256, end)}`
}

/** True while the address is this product's own and its time has not passed. */
export async function isContextPathGood(
  key: string,
  { sha256, expires, signature }: { sha256: string; expires: number; signature: string },
  now: Date,
): Promise<boolean> {
  // A date of JavaScript ends there; what lies beyond was never signed.
  if (!Number.isSafeInteger(expires) || expires > 8.64e12) return false
  return sameSecret(signature, await signatureOf(key, sha256, expires)) && expires * 1000 > now.getTime()
}
