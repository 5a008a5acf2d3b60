import type { Refusal } from '#domain/kernel/errors.ts'
import type { Env } from '#server/env.ts'
import { sameSecret } from '#server/tokens/same-secret.ts'
import { clientAddress, peerAddress } from './request-facts.ts'

type KeyEnv = Pick<Env, 'MEMBRIDGE_ADMIN_KEY' | 'MEMBRIDGE_DEV' | 'TRUSTED_PROXIES' | 'ALLOW_INSECURE_LAN'>

const ADMIN_HEADER = 'x-membridge-admin'

/** The text is what existing clients print. */
const NO_ADMIN_KEY: Refusal = {
  code: 'AUTH_REQUIRED',
  message: 'Unauthorized — invalid or missing X-MEMBRIDGE-ADMIN header',
}
const CLEAR_TEXT: Refusal = {
  code: 'FORBIDDEN',
  message:
    'The key came over plain HTTP. Use https, or set ALLOW_INSECURE_LAN=1 on the server if you trust every machine of this network.',
}

/** Why the admin key of a request does not open the control plane, or null [control-plane#keys]. */
export function adminKeyRefusal(env: KeyEnv, headers: Headers): Refusal | null {
  if (env.MEMBRIDGE_DEV) return null
  const given = headers.get(ADMIN_HEADER)
  if (given === null) return NO_ADMIN_KEY
  if (!env.ALLOW_INSECURE_LAN && sentInClearText(headers, env.TRUSTED_PROXIES)) return CLEAR_TEXT
  return sameSecret(given, env.MEMBRIDGE_ADMIN_KEY) ? null : NO_ADMIN_KEY
}

/** True when others on the way could read the request: it came from another machine, and not through a proxy of ours that ended TLS. */
export function sentInClearText(headers: Headers, trustedProxies: readonly string[]): boolean {
  if (isLoopback(clientAddress(headers, trustedProxies))) return false
  const byTls = headers.get('x-forwarded-proto')?.split(',').at(-1)?.trim() === 'https'
  return !(byTls && trustedProxies.includes(peerAddress(headers)))
}

const isLoopback = (address: string): boolean => address === '::1' || /^127\.\d+\.\d+\.\d+$/.test(address)
