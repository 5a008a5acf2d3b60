/**
 * A service manager: `stand-in-supervisor.ts <program> …` starts the program, and again whenever it ends with a fault, as the units of an agent
 * ask for. It prints each exit code, and ends with the program on SIGTERM.
 */
import { type ChildProcess, spawn } from 'node:child_process'

// What the system shows of it is what the agent looks for.
process.title = 'supervise-daemon'

let child: ChildProcess
let ending = false
function start(): void {
  child = spawn(process.execPath, process.argv.slice(2), { stdio: ['ignore', 'inherit', 'inherit'] })
  child.once('exit', (code) => {
    process.stdout.write(`ended with ${code}\n`)
    if (ending || code === 0) process.exit(0)
    start()
  })
}
process.on('SIGTERM', () => {
  ending = true
  child.kill('SIGTERM')
})
start()
