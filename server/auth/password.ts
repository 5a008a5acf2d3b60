/**
 * Passwords as scrypt hashes: `scrypt$<log2 N>$<r>$<p>$<salt>$<hash>`, so that the cost can be raised for new ones.
 * 16 MiB and about a tenth of a second each; they are computed outside the event loop.
 */
import { randomBytes, scrypt } from 'node:crypto'
import { sameSecret } from '#server/tokens/same-secret.ts'

const COST = { log2N: 14, r: 8, p: 5 }
const LENGTH = 32

function derive(password: string, salt: Buffer, cost: typeof COST): Promise<Buffer> {
  const options = { N: 2 ** cost.log2N, r: cost.r, p: cost.p, maxmem: 64 * 1024 * 1024 }
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, LENGTH, options, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })
}

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const key = await derive(password, salt, COST)
  return ['scrypt', COST.log2N, COST.r, COST.p, salt.toString('base64url'), key.toString('base64url')].join(
    '$',
  )
}

/** A hash that no password has: compared when there is no account, so that both answers take the same time. */
const NOBODY = `scrypt$${COST.log2N}$${COST.r}$${COST.p}$${Buffer.alloc(16, 7).toString('base64url')}$${Buffer.alloc(LENGTH, 9).toString('base64url')}`

/** True when the password belongs to the hash; with no hash it takes as long and is false. */
export async function verifyPassword(password: string, hash: string | null): Promise<boolean> {
  const [, log2N, r, p, salt = '', expected = ''] = (hash ?? NOBODY).split('$')
  const key = await derive(password, Buffer.from(salt, 'base64url'), {
    log2N: Number(log2N),
    r: Number(r),
    p: Number(p),
  })
  return sameSecret(key.toString('base64url'), expected) && hash !== null
}
