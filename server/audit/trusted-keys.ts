/**
 * Whose signatures count [audit#keys]. The key of the home does; older ones do because the present key says so: a statement signed by it
 * lies in the store as `audit/keys/<key id>.dsse.json`, create-only, and names the keys that were retired. A key that merely lies in the store
 * counts for nothing.
 */
import { createPublicKey, type KeyObject } from 'node:crypto'
import { z } from 'zod'
import type { AuditKeys } from '#contracts/audit.contract.ts'
import type { Env } from '#server/env.ts'
import type { ObjectStore } from '#server/ports/object-store.ts'
import type { Services } from '#server/services.ts'
import { open, seal } from './dsse.ts'
import { keyIdOf, pemOf, type SigningKey, signingKeyOf } from './signing-key.ts'

const KEYS_TYPE = 'application/vnd.garden-bloom.audit-keys+json'

const retiredKey = z.object({ key_id: z.string(), public_key: z.string() })
const statement = z.object({ key_id: z.string(), public_key: z.string(), retired: z.array(retiredKey) })
type Retired = z.infer<typeof retiredKey>[]

export const KEYS = 'audit/keys/'
const keyObject = (keyId: string): string => `${KEYS}${keyId}.dsse.json`

/** Publishes the key with those it follows; saying the same again changes nothing. */
export async function publishKey(store: ObjectStore, key: SigningKey, retired: Retired): Promise<void> {
  const said = { key_id: key.keyId, public_key: pemOf(key.publicKey), retired }
  await store.create(keyObject(key.keyId), seal(KEYS_TYPE, said, key), 'application/json')
}

/** The keys that this one follows; null while it has not been published, or when what lies there is not its own word. */
export async function retiredKeys(store: Pick<ObjectStore, 'get'>, key: SigningKey): Promise<Retired | null> {
  const stored = await store.get(keyObject(key.keyId))
  if (!stored) return null
  const opened = open(KEYS_TYPE, stored.bytes, new Map([[key.keyId, key.publicKey]]))
  const said = opened.ok ? statement.safeParse(opened.payload) : null
  return said?.success ? said.data.retired : null
}

/** What is needed to know whose signature counts. */
export type KeyParts = { env: Pick<Env, 'AUDIT_SIGNING_KEY'>; store: Pick<ObjectStore, 'get'> }

/** Every key whose signature counts, by its id. */
export async function trustedKeys({ env, store }: KeyParts): Promise<Map<string, KeyObject>> {
  const key = signingKeyOf(env)
  const trusted = new Map([[key.keyId, key.publicKey]])
  for (const { public_key } of (await retiredKeys(store, key)) ?? []) {
    const publicKey = createPublicKey(public_key)
    trusted.set(keyIdOf(publicKey), publicKey)
  }
  return trusted
}

/** The public keys for whoever checks signatures without the product. */
export async function listKeys({ env, store }: Pick<Services, 'env' | 'store'>): Promise<AuditKeys> {
  const key = signingKeyOf(env)
  return {
    key_id: key.keyId,
    public_key: pemOf(key.publicKey),
    retired: (await retiredKeys(store, key)) ?? [],
  }
}
