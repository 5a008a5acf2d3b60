/** `membridge`: the command line of a node. `npm run membridge -- <command>` from a checkout [edge#commands]. */
import { runCommandLine } from './command-line.ts'
import { thisHost } from './host.ts'
import { stopRequests } from './stop-requests.ts'

const { stopped, tasks, stop, terminate, interrupt } = stopRequests((code) => process.exit(code))
process.on('SIGTERM', terminate)
process.on('SIGINT', interrupt)
// The program that started this one passes on a request to stop; when it is gone, nobody reads the answer.
process.on('message', (message) => {
  if (message === 'stop') stop()
})
process.once('disconnect', stop)

try {
  const { exitCode, stdout, stderr } = await runCommandLine(process.argv.slice(2), thisHost(), {
    say: (line) => process.stderr.write(line),
    ...{ stopped, tasks },
  })
  process.stdout.write(stdout)
  process.stderr.write(stderr)
  process.exitCode = exitCode
  if (exitCode === 130) process.exit()
} finally {
  process.off('disconnect', stop)
  if (process.connected) process.disconnect()
}
