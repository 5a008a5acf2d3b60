import type { Env } from '#server/env.ts'
import { openDatabase } from '#server/ledger/database.ts'
import { createSignInLink } from './create-sign-in-link.ts'
import { ensureOwner } from './ensure-owner.ts'

/** The owner's one-time link (`createSignInLink`) for a program without services: over one connection, which is closed again. */
export async function makeSignInLink(env: Env, options: { force?: boolean } = {}): Promise<string | null> {
  const database = openDatabase(env.DATABASE_URL, { name: 'garden-bloom-sign-in-link', connections: 1 })
  try {
    const services = { env, db: database }
    await ensureOwner(services)
    return await createSignInLink(services, options)
  } finally {
    await database.close()
  }
}
