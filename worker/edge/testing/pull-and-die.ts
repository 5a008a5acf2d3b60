/**
 * A pull that is killed: `pull-and-die.ts <step> [option…]` is the command in the environment given, and kills itself before the
 * step; with `none` it ends by itself. It prints each step before it begins.
 */
import fs from 'node:fs'
import { runPull } from '../commands/pull.command.ts'
import { thisHost } from '../host.ts'

const [, , last, ...options] = process.argv
const flags = Object.fromEntries(options.map((option) => [option.replace(/^--/, ''), true]))
const say = (line: string) => void process.stderr.write(`${line}\n`)
const input = { host: thisHost(), given: {}, flags, words: [], say, stopped: new AbortController().signal }
await runPull(input, {
  onStep: (step) => {
    fs.writeSync(1, `${step}\n`)
    if (step === last) process.kill(process.pid, 'SIGKILL')
  },
})
