/**
 * The surface of BLOOM Runtime asked by clients that share nothing with the server: `npm run wire`. Every case of its tests, over a real port, once by
 * Python's standard library and once by curl.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import path from 'node:path'

const HTTP = path.resolve(import.meta.dirname, '../server/http')
const files = readdirSync(HTTP).filter((name) => /^runtime-.*-wire\.test\.ts$/.test(name))
const vitest = path.resolve(import.meta.dirname, '../node_modules/vitest/vitest.mjs')

for (const WIRE_CLIENT of ['python3', 'curl']) {
  process.stdout.write(`\nby ${WIRE_CLIENT}\n`)
  const { status } = spawnSync(
    process.execPath,
    [vitest, 'run', ...files.map((name) => `server/http/${name}`)],
    {
      env: { ...process.env, WIRE_CLIENT },
      stdio: 'inherit',
    },
  )
  if (status !== 0) process.exit(1)
}
