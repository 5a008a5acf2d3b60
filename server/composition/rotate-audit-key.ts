/**
 * Replaces the key that signs heads of the audit [audit#keys]. The new key states first, in the object store, which keys it follows; then the
 * home gets it. Whatever stops it in between leaves the old key in use. Running processes take the new one at their next start.
 */
import { randomBytes } from 'node:crypto'
import { pemOf, signingKeyOf } from '#server/audit/signing-key.ts'
import { publishKey, retiredKeys } from '#server/audit/trusted-keys.ts'
import { EnvFault, loadEnv } from '#server/env.ts'
import { replaceSecret } from '#server/launch/secrets.mjs'
import { openStore } from './open-store.ts'

const NAME = 'AUDIT_SIGNING_KEY'

try {
  const env = loadEnv()
  if (process.env[NAME])
    throw new EnvFault([`${NAME}: is given by the environment; unset it to use the home's key`])
  const store = await openStore(env)
  const old = signingKeyOf(env)
  const value = randomBytes(32).toString('base64url')
  const key = signingKeyOf({ [NAME]: value })
  const retired = (await retiredKeys(store, old)) ?? []
  await publishKey(store, key, [{ key_id: old.keyId, public_key: pemOf(old.publicKey) }, ...retired])
  replaceSecret(env.BLOOM_HOME, NAME, value)
  process.stdout.write(`Key ${old.keyId} is retired; ${key.keyId} signs from the next start on.\n`)
} catch (error) {
  process.stderr.write(
    `${error instanceof EnvFault ? error.message : `The key couldn't be replaced: ${String(error)}`}\n`,
  )
  process.exitCode = 1
}
