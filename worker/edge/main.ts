/** `membridge`: the command line of a node. `npm run membridge -- <command>` from a checkout [edge#commands]. */
import { runCommandLine } from './command-line.ts'
import { thisHost } from './host.ts'

// The program that started this one passes on a request to stop; when it is gone, nobody reads the answer.
process.on('message', (message) => {
  if (message === 'stop') process.exit(130)
})
const end = () => process.exit(130)
process.once('disconnect', end)

try {
  const { exitCode, stdout, stderr } = await runCommandLine(process.argv.slice(2), thisHost())
  process.stdout.write(stdout)
  process.stderr.write(stderr)
  process.exitCode = exitCode
} finally {
  process.off('disconnect', end)
  if (process.connected) process.disconnect()
}
