import { ensureSecrets, PUSH_KEY } from '../launch/secrets.mjs'
import { protectSecrets } from '../redaction/redact.ts'
import { EnvFault } from './env-fault.ts'

const BYTES = 32

/**
 * The private key of Web Push, from the environment or from the home; only the process that sends asks for it, and from then on it is masked
 * in what that process writes. Throws an EnvFault.
 */
export function loadPushKey(
  { BLOOM_HOME }: { BLOOM_HOME: string },
  source: Record<string, string | undefined> = process.env,
): string {
  const key = source[PUSH_KEY] || ensureSecrets(BLOOM_HOME)[PUSH_KEY] || ''
  if (!/^[\w-]+$/.test(key) || Buffer.from(key, 'base64url').length !== BYTES)
    throw new EnvFault([`${PUSH_KEY}: must be ${BYTES} bytes in base64url`])
  protectSecrets([key])
  return key
}
