/**
 * `npm run seed -- <scenario> [--count N]` under the product's own Node: fills the instance of BLOOM_HOME, which must not be
 * running, with what the scenario says. Without a scenario that is known it lists them and ends with code 2.
 */
import path from 'node:path'
import { parseArgs } from 'node:util'
import { SCENARIOS } from '../../prisma/seed/scenarios/names.ts'
import { runToEnd } from './child.mjs'
import { runCommand } from './command.mjs'
import { prepareLedger, programEnv } from './prepare.mjs'
import { logStep, say } from './progress.mjs'

const DEFAULT_COUNT = 100_000

const asked = readArguments()
if (!asked) {
  console.error(`Say what to fill the instance with: npm run seed -- <scenario> [--count N]\n\n${listed()}\n`)
  process.exit(2)
}
await runCommand((open) => fill(open, asked))

/** The scenario and its count, or null when they make no sense. */
function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      options: { count: { type: 'string', default: String(DEFAULT_COUNT) } },
      allowPositionals: true,
    })
    const [name = ''] = positionals
    const count = Number(values.count)
    const isKnown = Object.hasOwn(SCENARIOS, name) && positionals.length === 1
    return isKnown && Number.isInteger(count) && count > 0 ? { name, count } : null
  } catch {
    return null
  }
}

function listed() {
  return Object.entries(SCENARIOS)
    .map(([name, about]) => `  ${name.padEnd(10)}${about}`)
    .join('\n')
}

async function fill(open, { name, count }) {
  const { loadEnv } = await import('../env.ts')
  const home = path.resolve(process.env.BLOOM_HOME || '.bloom')
  const { urls } = await prepareLedger(open({ home }), home)
  const env = programEnv(loadEnv({ ...process.env, BLOOM_HOME: home, DATABASE_URL: urls.owner }))
  const program = ['prisma/seed/scenarios/main.ts', name, String(count)]
  const { code } = await logStep(`Making the scenario ${name}`, () =>
    runToEnd(process.execPath, program, { env, show: true }),
  )
  if (code === 0)
    say(`Made. See it with npm start${process.env.BLOOM_HOME ? ' and the same BLOOM_HOME' : ''}`)
  return code
}
