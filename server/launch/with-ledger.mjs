/**
 * Runs one program over the ledger of BLOOM_HOME, which must not be running: brings up the database, hands the arguments on, and
 * stops. Ends with the program's code.
 */
import path from 'node:path'
import { runToEnd } from './child.mjs'
import { runCommand } from './command.mjs'
import { prepareLedger, programEnv } from './prepare.mjs'

await runCommand(async (open) => {
  const { loadEnv } = await import('../env.ts')
  const home = path.resolve(process.env.BLOOM_HOME || '.bloom')
  const { urls } = await prepareLedger(open({ home }), home)
  const env = programEnv(loadEnv({ ...process.env, BLOOM_HOME: home, DATABASE_URL: urls.owner }))
  const { code } = await runToEnd(process.execPath, process.argv.slice(2), { env, show: true })
  return code
})
