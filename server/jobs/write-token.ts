/**
 * The write token of one call: lets its bearer hand in the artifact of one job, under one fence, for ten minutes ([jobs#the-backend-call]).
 *
 * It is signed, so that an old token can be distinguished from a false one (409 from 403) without a table of old tokens. It counts only
 * while its SHA-256 stands in the job's row; 256 random bits make each token another.
 */
import { createHash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { tokenKind } from '#server/tokens/token-kind.ts'

export const TOKEN_SECONDS = 600

const writeTokens = tokenKind(
  'job-write',
  z.object({ sub: z.uuid(), fence: z.number().int().min(0), jti: z.string().length(43) }),
)
export type TokenClaims = { job_id: string; fence: number; expires_at: Date }

/** A fresh token for this hold and what the row keeps of it; `now` is the database's clock. */
export async function issueWriteToken(
  key: string,
  hold: { job_id: string; fence: number },
  now: Date,
): Promise<{ token: string; hash: string }> {
  const claims = { sub: hold.job_id, fence: hold.fence, jti: randomBytes(32).toString('base64url') }
  const expiresAt = new Date(now.getTime() + TOKEN_SECONDS * 1000)
  const token = await writeTokens.sign(key, claims, { issuedAt: now, expiresAt })
  return { token, hash: tokenHash(token) }
}

/** SHA-256 of the token, as the job's row keeps it. */
export const tokenHash = (token: string): string => createHash('sha256').update(token).digest('hex')

/** What a genuine token says, also after its end; null for anything that this product has not issued. */
export async function readWriteToken(key: string, token: string): Promise<TokenClaims | null> {
  const read = await writeTokens.read(key, token)
  return read && { job_id: read.claims.sub, fence: read.claims.fence, expires_at: read.expiresAt }
}
