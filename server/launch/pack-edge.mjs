/** Writes the archive for nodes and prints where it is, how large, and what it is known by. */
import fs from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT } from './checkout.mjs'
import { packEdge } from './edge-archive.mjs'
import { LaunchFault, print, printError } from './progress.mjs'

const USAGE = 'npm run edge:pack [-- --out FOLDER]'

try {
  const folder = path.resolve(process.env.INIT_CWD ?? '.', outFolder())
  const { name, bytes, sha256, packages } = await packEdge()
  fs.mkdirSync(folder, { recursive: true })
  const file = path.join(folder, name)
  fs.writeFileSync(`${file}.tmp`, bytes)
  fs.renameSync(`${file}.tmp`, file)
  print(
    `${file}\n${(bytes.length / 1024 ** 2).toFixed(2)} MiB, ${packages} packages inside, for Node 24 or newer\nsha256 ${sha256}\n`,
  )
} catch (error) {
  printError(error)
  process.exitCode = 1
}

function outFolder() {
  try {
    return parseArgs({ options: { out: { type: 'string' } } }).values.out ?? path.join(ROOT, '.cache/edge')
  } catch {
    throw new LaunchFault(`That is no option of it: ${USAGE}`)
  }
}
