import type { Refusal } from '#domain/kernel/errors.ts'
import type { Env } from '#server/env.ts'
import { sameSecret } from '#server/tokens/same-secret.ts'
import { isOfThisMachine, keyInClear } from './key-in-clear.ts'

type KeyEnv = Pick<Env, 'MEMBRIDGE_ADMIN_KEY' | 'MEMBRIDGE_DEV' | 'TRUSTED_PROXIES' | 'ALLOW_INSECURE_LAN'>

export const ADMIN_HEADER = 'x-membridge-admin'

/** The text is what existing clients print. */
export const NO_ADMIN_KEY: Refusal = {
  code: 'AUTH_REQUIRED',
  message: 'Unauthorized — invalid or missing X-MEMBRIDGE-ADMIN header',
}

/** Why the admin key of a request does not open the control plane, or null [control-plane#keys]. In development this machine needs none. */
export function adminKeyRefusal(env: KeyEnv, headers: Headers): Refusal | null {
  if (env.MEMBRIDGE_DEV && isOfThisMachine(headers)) return null
  const given = headers.get(ADMIN_HEADER)
  if (given === null) return NO_ADMIN_KEY
  const inClear = keyInClear(headers, env)
  if (inClear) return inClear
  return sameSecret(given, env.MEMBRIDGE_ADMIN_KEY) ? null : NO_ADMIN_KEY
}
