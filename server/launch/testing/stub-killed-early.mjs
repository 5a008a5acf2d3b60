/**
 * A launcher that is killed in the moment in which it has begun a program: `node stub-killed-early.mjs HOME`. The program's id stands in
 * HOME/orphan; it listens to nobody, so only what is loaded before it can end it.
 */
import fs from 'node:fs'
import path from 'node:path'
import { keepRunning } from '../program.mjs'

const home = process.argv[2] ?? ''
const args = ['-e', 'setInterval(() => {}, 1000)']
const env = { ...process.env, PID_FILE: path.join(home, 'none') }
const program = keepRunning({ name: 'orphan', args, env }, { logs: home, onChange: () => {} })
fs.writeFileSync(path.join(home, 'orphan'), String(program.pid()))
process.kill(process.pid, 'SIGKILL')
