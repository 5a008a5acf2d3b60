/** A sync that never ends: `hold-sync.ts <home> <database>` says `ready` once it holds the database's lock. */
import { withOneSync } from '../sync/one-sync.ts'

const [, , home = '', database = ''] = process.argv
await withOneSync({ home }, database, async () => {
  process.stdout.write('ready\n')
  await new Promise((resolve) => process.stdin.resume().on('end', resolve))
})
