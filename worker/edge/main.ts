/** `membridge`: the command line of a node. `npm run membridge -- <command>` from a checkout [edge#commands]. */
import { runCommandLine } from './command-line.ts'
import { thisHost } from './host.ts'

/** How long a command that ends by itself may take to put things in order. */
const GRACE_MS = 30_000

const stopping = new AbortController()
/** Asked again, it changes nothing: a service manager, an agent and a hook may each ask, and a push needs its time to release the lock. */
const stop = () => {
  if (stopping.signal.aborted) return
  stopping.abort()
  setTimeout(() => process.exit(130), GRACE_MS).unref()
}
process.on('SIGTERM', stop)
process.once('SIGINT', () => {
  stop()
  // A person who presses Ctrl-C twice does not want to wait.
  process.on('SIGINT', () => process.exit(130))
})
// The program that started this one passes on a request to stop; when it is gone, nobody reads the answer.
process.on('message', (message) => {
  if (message === 'stop') stop()
})
process.once('disconnect', stop)

try {
  const { exitCode, stdout, stderr } = await runCommandLine(process.argv.slice(2), thisHost(), {
    say: (line) => process.stderr.write(line),
    stopped: stopping.signal,
  })
  process.stdout.write(stdout)
  process.stderr.write(stderr)
  process.exitCode = exitCode
  if (exitCode === 130) process.exit()
} finally {
  process.off('disconnect', stop)
  if (process.connected) process.disconnect()
}
