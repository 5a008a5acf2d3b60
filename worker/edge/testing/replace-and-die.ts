/**
 * A pull that is killed: `replace-and-die.ts <request as JSON> <step>` replaces a database and kills itself before the step; with
 * `none` it ends by itself. It prints each step before it begins.
 */
import fs from 'node:fs'
import { replaceDatabase } from '../sqlite/replace-database.ts'

const [, , text = '{}', last] = process.argv
const request = JSON.parse(text)
await replaceDatabase({
  ...request,
  backup: { ...request.backup, at: new Date(request.backup.at) },
  onStep: (step) => {
    fs.writeSync(1, `${step}\n`)
    if (step === last) process.kill(process.pid, 'SIGKILL')
  },
})
