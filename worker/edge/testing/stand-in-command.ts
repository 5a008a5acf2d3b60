/**
 * A command line that behaves as told: `stand-in-command.ts <manners> …`. It writes the ids of its processes into the file of STAND_IN_PIDS.
 *
 * `lines` prints many lines and ends with 3; `echo` prints its arguments and environment; `obedient` runs until SIGTERM and then says so; `stubborn` runs on
 * through SIGTERM and starts a child that does, too; `leaver` ends at once and leaves a child of its group behind that holds its output; `orphan`
 * runs until the program that started it is gone; `slow` needs 3 s to end; `agent` runs an `orphan` as an agent does, until it is killed.
 */
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import { createCommandRunner } from '../agent/run-command.ts'

const [, , manners = '', ...rest] = process.argv
const note = (pid = process.pid) => fs.appendFileSync(process.env.STAND_IN_PIDS ?? '/dev/null', `${pid}\n`)
const child = (kind: string) =>
  spawn(process.execPath, [process.argv[1] ?? '', kind], { stdio: ['ignore', 'inherit', 'inherit'] })
const forever = () => void setInterval(() => {}, 60_000)

const MANNERS: Record<string, () => void> = {
  lines: () => {
    process.stdout.write(Array.from({ length: 1_000 }, (_, n) => `line ${n}\n`).join(''))
    process.stderr.write('SECONDARY: push blocked by default.\nmore\n')
    process.exitCode = 3
    process.disconnect?.()
  },
  echo: () => {
    process.stdout.write(JSON.stringify({ args: rest, env: process.env }))
    process.disconnect?.()
  },
  obedient: () => {
    process.on('SIGTERM', () => {
      process.stdout.write('lock released\n')
      process.exit(0)
    })
    forever()
  },
  stubborn: () => {
    process.on('SIGTERM', () => {})
    child('deaf')
    forever()
  },
  deaf: () => {
    process.on('SIGTERM', () => {})
    forever()
  },
  leaver: () => {
    const left = child('deaf')
    left.once('spawn', () => {
      note(left.pid)
      process.exit(0)
    })
  },
  slow: () => {
    process.on('SIGTERM', () => void setTimeout(() => process.exit(0), 3_000))
    forever()
  },
  agent: () => {
    const program = [process.execPath, process.argv[1] ?? '']
    const stopped = new AbortController().signal
    void createCommandRunner({ program, cwd: '/', stopped, mask: String }).run({
      args: ['orphan'],
      env: process.env,
    })
  },
  orphan: () => {
    process.once('disconnect', () => process.exit(0))
    forever()
  },
}

MANNERS[manners]?.()
note()
