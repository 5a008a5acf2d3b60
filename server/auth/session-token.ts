/**
 * The signed form of a session id: JWT HS256. It carries no right by itself; role, zone and end are read from the ledger
 * with every request, so that logout and revocation hold at once (contract page 09, section 3.1; D29).
 *
 * A cookie's token and a program's token differ by audience: one is never accepted in the place of the other.
 */
import { errors, jwtVerify, SignJWT } from 'jose'

export type Audience = 'cookie' | 'bearer'
export type TokenClaims = { sid: string; sub: string; role: string; zone?: string; expiresAt: Date }

const ISSUER = 'garden-bloom'
const keyOf = (secret: string) => new TextEncoder().encode(secret)

export async function signSession(secret: string, audience: Audience, claims: TokenClaims): Promise<string> {
  const { sid, sub, role, zone, expiresAt } = claims
  return new SignJWT({ sid, role, ...(zone ? { zone } : {}) })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer(ISSUER)
    .setAudience(audience)
    .setSubject(sub)
    .setIssuedAt()
    .setExpirationTime(Math.floor(expiresAt.getTime() / 1000))
    .sign(keyOf(secret))
}

/** The claims of a token that we signed for this audience and that is not over; null otherwise. */
export async function readClaims(
  secret: string,
  audience: Audience,
  token: string,
): Promise<TokenClaims | null> {
  const read = await verify(secret, audience, token)
  return typeof read === 'string' ? null : read
}

/** The session id of a token that we signed for this audience; `expired` and `invalid` otherwise. */
export async function readToken(
  secret: string,
  audience: Audience,
  token: string,
): Promise<{ sid: string } | 'expired' | 'invalid'> {
  return verify(secret, audience, token)
}

async function verify(
  secret: string,
  audience: Audience,
  token: string,
): Promise<TokenClaims | 'expired' | 'invalid'> {
  try {
    const { payload } = await jwtVerify(token, keyOf(secret), {
      algorithms: ['HS256'],
      issuer: ISSUER,
      audience,
      requiredClaims: ['exp', 'sub'],
    })
    const { sid, sub, role, exp } = payload
    if (typeof sid !== 'string' || sub === undefined || exp === undefined) return 'invalid'
    return { sid, sub, role: String(role), expiresAt: new Date(exp * 1000) }
  } catch (error) {
    return error instanceof errors.JWTExpired ? 'expired' : 'invalid'
  }
}
