/**
 * Loaded before each program (`--import`) and by the launcher: gives back once what a start has left behind. A program that then has little to do would
 * not collect for a long time, and holds nearly twice of what lives.
 */
import v8 from 'node:v8'
import vm from 'node:vm'
import { isMainThread } from 'node:worker_threads'

/** By then a start has answered, on slow machines too; the pause of the collection is of a few dozen milliseconds. */
const STARTED_MS = 15_000

function collect() {
  v8.setFlagsFromString('--expose-gc')
  const gc = vm.runInNewContext('gc')
  v8.setFlagsFromString('--no-expose-gc')
  gc({ type: 'major', execution: 'async', flavor: 'last-resort' })
}

if (isMainThread) setTimeout(collect, STARTED_MS).unref()
