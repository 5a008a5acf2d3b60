/**
 * The signed form of a session id. It carries no right by itself; role, zone and end are read from the ledger
 * with every request, so that signing out and revocation take effect at once [auth#sessions].
 *
 * A cookie's token and a program's token differ by audience: one is never accepted in the place of the other.
 */
import { z } from 'zod'
import { tokenKind } from '#server/tokens/token-kind.ts'

export type Audience = 'cookie' | 'bearer'
export type TokenClaims = {
  sid: string
  sub: string
  role: string
  zone?: string | undefined
  expiresAt: Date
}

const shape = z.object({ sid: z.string(), sub: z.string(), role: z.string(), zone: z.string().optional() })
const KINDS = { cookie: tokenKind('cookie', shape), bearer: tokenKind('bearer', shape) }

export async function signSession(
  secret: string,
  audience: Audience,
  { sid, sub, role, zone, expiresAt }: TokenClaims,
): Promise<string> {
  const claims = { sid, sub, role, ...(zone ? { zone } : {}) }
  return KINDS[audience].sign(secret, claims, { issuedAt: new Date(), expiresAt })
}

/** The claims of a token that we signed for this audience and that has not expired; null otherwise. */
export async function readClaims(
  secret: string,
  audience: Audience,
  token: string,
): Promise<TokenClaims | null> {
  const read = await readToken(secret, audience, token)
  return typeof read === 'string' ? null : read
}

/** What a token says that we signed for this audience; `expired` and `invalid` otherwise. */
export async function readToken(
  secret: string,
  audience: Audience,
  token: string,
): Promise<TokenClaims | 'expired' | 'invalid'> {
  const read = await KINDS[audience].read(secret, token)
  if (!read) return 'invalid'
  const { zone, ...rest } = read.claims
  if (read.expiresAt.getTime() <= Date.now()) return 'expired'
  return { ...rest, ...(zone ? { zone } : {}), expiresAt: read.expiresAt }
}
