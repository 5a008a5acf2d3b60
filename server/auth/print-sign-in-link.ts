/**
 * Prints the owner's one-time sign-in link and nothing else; prints nothing when the owner has signed in before or has a
 * password. `--force` always prints a new one, for an owner who lost the password.
 */
import { EnvFault, loadEnv } from '#server/env.ts'
import { makeSignInLink } from './make-sign-in-link.ts'

try {
  const link = await makeSignInLink(loadEnv(), { force: process.argv.includes('--force') })
  if (link) process.stdout.write(`${link}\n`)
} catch (error) {
  process.stderr.write(
    `${error instanceof EnvFault ? error.message : `The sign-in link couldn't be created: ${String(error)}`}\n`,
  )
  process.exitCode = 1
}
