/**
 * The write token of one call: lets its bearer hand in the artifact of one job, under one fence, for ten minutes ([jobs#the-backend-call]).
 *
 * It carries its job, fence and end, 256 random bits, and a MAC over all of it, so that an old token can be told from a false one
 * (409 from 403) without a table of old tokens. It counts only while its SHA-256 stands in the job's row.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'

export const TOKEN_SECONDS = 600

const claims = z.tuple([z.uuid(), z.number().int().min(0), z.number().int().min(0), z.string().length(43)])
export type TokenClaims = { job_id: string; fence: number; expires_at: Date }

const mac = (key: string, body: string): string =>
  createHmac('sha256', key).update(`write-token.${body}`).digest('base64url')
const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** A fresh token for this hold and what the row keeps of it; `now` is the database's clock. */
export function issueWriteToken(
  key: string,
  hold: { job_id: string; fence: number },
  now: Date,
): { token: string; hash: string } {
  const end = now.getTime() + TOKEN_SECONDS * 1000
  const body = Buffer.from(
    JSON.stringify([hold.job_id, hold.fence, end, randomBytes(32).toString('base64url')]),
  ).toString('base64url')
  const token = `${body}.${mac(key, body)}`
  return { token, hash: tokenHash(token) }
}

/** SHA-256 of the token, as the job's row keeps it. */
export const tokenHash = (token: string): string => digest(token).toString('hex')

/** What a genuine token says, or null for anything that this product has not issued. */
export function readWriteToken(key: string, token: string): TokenClaims | null {
  const [body, given, ...rest] = token.split('.')
  if (!body || !given || rest.length > 0 || token.length > 1024) return null
  if (!timingSafeEqual(digest(given), digest(mac(key, body)))) return null
  const parsed = claims.safeParse(fromJson(Buffer.from(body, 'base64url').toString('utf8')))
  if (!parsed.success) return null
  const [job_id, fence, end] = parsed.data
  return { job_id, fence, expires_at: new Date(end) }
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
