/** `npm run repair-garden`, with the instance's environment (server/launch/repair-garden.mjs): says what it found and what it did. */
import { parseArgs } from 'node:util'
import { gardenFolder } from '#server/composition/create-services.ts'
import { loadEnv } from '#server/env.ts'
import { openDatabase } from '#server/ledger/database.ts'
import { type Repair, repairGarden } from './repair-garden.ts'

const { values } = parseArgs({ options: { discard: { type: 'boolean', default: false } } })

const MESSAGES: Record<Repair['outcome'], (repair: Repair) => string> = {
  unknown: () => 'The ledger knows no commit yet: there is nothing to go back to.',
  gone: () =>
    'That commit or a part of it is not among the objects: bring garden.git back from a backup, then run this again.',
  in_order: () => 'The branch has that commit: nothing is to be done.',
  diverged: ({ state }) =>
    `The branch has ${state?.beyond.length} commits that are not part of it:\n${(state?.beyond ?? []).map((oid) => `  ${oid}`).join('\n')}\n` +
    'Nothing was changed. To leave them out of the branch (git keeps them as objects): npm run repair-garden -- --discard',
  moved: () => 'Somebody moved the branch meanwhile. Nothing was changed: run this again.',
  restored: () =>
    'The branch stands on that commit again. Commits by hand after it are not on it; git fsck names them.',
}

const say = (line: string) => process.stdout.write(`${line}\n`)

const env = loadEnv()
const database = openDatabase(env.DATABASE_URL, { name: 'garden-bloom-repair', connections: 2 })
try {
  const repair = await repairGarden({ db: database, gitdir: gardenFolder(env) }, values)
  say(
    `The branch stands on          ${repair.state?.head ?? (repair.state?.torn ? 'no commit id' : 'nothing')}`,
  )
  say(`The ledger's last known is    ${repair.wanted ?? 'none'}`)
  say(MESSAGES[repair.outcome](repair))
  process.exitCode = ['in_order', 'restored', 'unknown'].includes(repair.outcome) ? 0 : 1
} finally {
  await database.close()
}
