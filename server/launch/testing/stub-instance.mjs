/**
 * An instance with stub programs for the launcher's tests: `node stub-instance.mjs HOME`. Says "up" when all of it runs.
 * Stubs write their process id and the database's address to HOME/<name>.pid; `deaf` ignores SIGTERM; `parent` has a child of its own.
 */
import path from 'node:path'
import { onStopRequest } from '../continue.mjs'
import { openInstance } from '../instance.mjs'

const home = path.resolve(process.argv[2] ?? '')
/** Longer than any machine takes to hear a signal. */
const PATIENT = 60_000
const keepsRunning = 'setInterval(() => {}, 1000)'
const writesPid = `require('node:fs').writeFileSync(process.env.PID_FILE, String(process.pid) + ' ' + process.env.DATABASE_URL)`
const notesEnd = `process.on('SIGTERM', () => { require('node:fs').appendFileSync(process.env.ENDS, process.env.NAME + ' '); process.exit(0) })`
const startsChild = `require('node:child_process').spawn('sleep', ['1000'], { stdio: 'inherit' })`

const stub = (name, graceMs, ...code) => ({
  name,
  args: ['-e', [...code, writesPid, keepsRunning].join(';')],
  env: {
    ...process.env,
    NAME: name,
    DATABASE_URL: server.urlOf('bloom'),
    PID_FILE: path.join(home, `${name}.pid`),
    ENDS: path.join(home, 'ends'),
  },
  graceMs,
})

const instance = openInstance({ home, firstPauseMs: 10 })
onStopRequest(async () => {
  await instance.stop()
  process.exit(0)
})
const server = await instance.startPostgres('stub-password')
instance.add(stub('first', PATIENT, notesEnd))
instance.add(stub('second', PATIENT, notesEnd))
instance.add(stub('deaf', 300, `process.on('SIGTERM', () => {})`))
instance.add(stub('parent', PATIENT, startsChild))
process.stdout.write(`up ${server.port}\n`)
