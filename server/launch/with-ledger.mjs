/**
 * Runs one program over the ledger of BLOOM_HOME, which must not be running: brings up the database, hands the arguments on, and
 * stops. Ends with the program's code.
 */
import path from 'node:path'
import { endRunning, runToEnd } from './child.mjs'
import { onStopRequest } from './continue.mjs'
import { openInstance } from './instance.mjs'
import { prepareLedger, programEnv } from './prepare.mjs'
import { printError } from './progress.mjs'

/** @type {import('./instance.mjs').Instance | undefined} */
let instance

onStopRequest(async () => {
  await endRunning()
  await instance?.stop()
  process.exit(130)
})

try {
  const { loadEnv } = await import('../env.ts')
  const home = path.resolve(process.env.BLOOM_HOME || '.bloom')
  instance = openInstance({ home })
  const { urls } = await prepareLedger(instance, home)
  const env = programEnv(loadEnv({ ...process.env, BLOOM_HOME: home, DATABASE_URL: urls.owner }))
  const { code } = await runToEnd(process.execPath, process.argv.slice(2), { env, show: true })
  process.exitCode = code
} catch (error) {
  printError(error)
  process.exitCode = 1
} finally {
  await instance?.stop()
}
// The channel to the starting process would keep this one alive.
process.exit()
