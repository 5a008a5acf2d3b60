/** `npm run seed -- <scenario> [--count N]`, with the instance's environment (see server/launch/seed.mjs). */
import { loadEnv } from '#server/env.ts'
import { fillScenario, NotEmpty } from './fill.ts'
import { isScenario } from './names.ts'

const [name = '', count = ''] = process.argv.slice(2)
try {
  if (!isScenario(name)) throw new Error(`there is no scenario ${name}`)
  await fillScenario(loadEnv(), name, Number(count))
} catch (error) {
  if (!(error instanceof NotEmpty)) throw error
  console.error(`${error.message} Nothing was changed. Make the scenario beside it:`)
  console.error(`\n    BLOOM_HOME=.bloom-${name} npm run seed -- ${name}\n`)
  process.exitCode = 1
}
