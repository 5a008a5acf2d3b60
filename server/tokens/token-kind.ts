/**
 * Signed tokens: JWT HS256 of this issuer, each for one purpose. The purpose is the audience, so that a token is never accepted
 * in the place of another, even where two kinds share a key.
 *
 * A token proves who issued it and what it says, not that it still holds: whoever reads one compares its end with the clock
 * that dated it (the database's for jobs, the process's for sessions).
 */
import { createSecretKey, type KeyObject } from 'node:crypto'
import { jwtVerify, SignJWT } from 'jose'
import type { z } from 'zod'

const ISSUER = 'garden-bloom'
const ALGORITHM = 'HS256'
const MAX_LENGTH = 4096
/** Verification at the beginning of time: `exp` must be there and is left to the reader. */
const ANY_TIME = new Date(0)

export type Lifetime = { issuedAt: Date; expiresAt: Date }
export type ReadToken<C> = { claims: C; expiresAt: Date }

/** Keys as they sign: of the few that a process has, each is imported once and not for every token. */
const secrets = new Map<string, KeyObject>()

function secretOf(key: string): KeyObject {
  const known = secrets.get(key)
  if (known) return known
  const secret = createSecretKey(key, 'utf8')
  secrets.set(key, secret)
  return secret
}

const seconds = (date: Date): number => Math.floor(date.getTime() / 1000)

/** The tokens of one purpose, whose claims have this shape. Times are kept in whole seconds, rounded down. */
export function tokenKind<C extends Record<string, unknown>>(purpose: string, shape: z.ZodType<C>) {
  return {
    /** The same claims, times and key always give the same token. */
    sign: (key: string, claims: C, { issuedAt, expiresAt }: Lifetime): Promise<string> =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: ALGORITHM })
        .setIssuer(ISSUER)
        .setAudience(purpose)
        .setIssuedAt(seconds(issuedAt))
        .setExpirationTime(seconds(expiresAt))
        .sign(secretOf(key)),

    /** What a genuine token of this purpose says, whether its time is over or not; null for anything else. */
    async read(key: string, token: string): Promise<ReadToken<C> | null> {
      if (token.length > MAX_LENGTH) return null
      const payload = await verified(key, purpose, token)
      const parsed = shape.safeParse(payload)
      if (!parsed.success || payload?.exp === undefined) return null
      return { claims: parsed.data, expiresAt: new Date(payload.exp * 1000) }
    },
  }
}

async function verified(key: string, audience: string, token: string) {
  try {
    const rules = { algorithms: [ALGORITHM], issuer: ISSUER, audience, currentDate: ANY_TIME }
    const { payload } = await jwtVerify(token, secretOf(key), { ...rules, requiredClaims: ['exp'] })
    return payload
  } catch {
    return null
  }
}
