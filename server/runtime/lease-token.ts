import { createHash, randomBytes } from 'node:crypto'

const FORM = /^[A-Za-z0-9_-]{43}$/

/** The token of a lease: 256 random bits. The ledger keeps its SHA-256 alone, so whoever reads it can show no lease [runtime#claims]. */
export function newLeaseToken(): { token: string; hash: Buffer } {
  const token = randomBytes(32).toString('base64url')
  return { token, hash: leaseTokenHash(token) }
}

export const leaseTokenHash = (token: string): Buffer => createHash('sha256').update(token).digest()

export const isLeaseToken = (text: string): boolean => FORM.test(text)
