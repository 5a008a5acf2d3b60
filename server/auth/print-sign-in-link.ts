/**
 * Prints the owner's one-time sign-in link and nothing else; prints nothing when the owner has signed in before or has a
 * password. `--force` always prints a new one, for an owner who lost the password.
 */
import { EnvFault, loadEnv } from '#server/env.ts'
import { openDatabase } from '#server/ledger/database.ts'
import { createSignInLink } from './create-sign-in-link.ts'
import { ensureOwner } from './ensure-owner.ts'

try {
  const env = loadEnv()
  const database = openDatabase(env.DATABASE_URL, { name: 'garden-bloom-sign-in-link', connections: 1 })
  const services = { env, db: database }
  await ensureOwner(services)
  const link = await createSignInLink(services, { force: process.argv.includes('--force') })
  if (link) process.stdout.write(`${link}\n`)
  await database.close()
} catch (error) {
  process.stderr.write(
    `${error instanceof EnvFault ? error.message : `The sign-in link couldn't be created: ${String(error)}`}\n`,
  )
  process.exitCode = 1
}
