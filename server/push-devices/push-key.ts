import { createECDH } from 'node:crypto'
import sql from 'sql-template-tag'
import { SCHEDULER } from '#domain/authority/caller.ts'
import type { Db } from '#server/ledger/database.ts'
import { removeDevices } from './remove-devices.ts'

/** The public half of a private key of P-256, as browsers take it: an uncompressed point in base64url. */
export function publicKeyOf(privateKey: string): string {
  const pair = createECDH('prime256v1')
  pair.setPrivateKey(Buffer.from(privateKey, 'base64url'))
  return pair.getPublicKey('base64url', 'uncompressed')
}

/**
 * Lets browsers know the key of this installation. Under another key, that of a restored or copied home, no push service takes a message of
 * ours, so devices that subscribed under it are gone.
 */
export function announceKey(db: Db, publicKey: string): Promise<void> {
  return db.transaction(async (tx) => {
    await tx.query(sql`INSERT INTO push_key (public_key) VALUES (${publicKey})
      ON CONFLICT (singleton) DO UPDATE SET public_key = EXCLUDED.public_key, updated_at = clock_timestamp()
      WHERE push_key.public_key <> EXCLUDED.public_key`)
    await removeDevices(tx, sql`p.server_key <> ${publicKey}`, { actor: SCHEDULER, because: 'other_key' })
  })
}

/** The key that a worker announced; null before any has started. */
export async function announcedKey(db: Db): Promise<string | null> {
  const { rows } = await db.query<{ public_key: string }>(sql`SELECT public_key FROM push_key`)
  return rows[0]?.public_key ?? null
}
