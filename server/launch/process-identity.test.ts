import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import readline from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { tryLock } from './lock.mjs'
import { isAlive, signalIfAlive, startOf } from './process-identity.mjs'
import { waitUntil } from './testing/wait-until.ts'

/** A process that has ended and whose parent, which became another program, never asks for it. */
async function unreaped(): Promise<number> {
  // It ends once its parent has become the other program: a shell that still is one might ask.
  const child = 'while [ "$(cat /proc/$$/comm)" != sleep ]; do :; done'
  const parent = spawn('/bin/sh', ['-c', `(${child}) & echo $!; exec sleep 1000`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => {
    parent.kill('SIGKILL')
  })
  const lines = readline.createInterface({ input: parent.stdout })
  const pid = Number(await new Promise<string>((resolve) => lines.once('line', resolve)))
  await waitUntil(() => fs.readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z '), { what: 'its end' })
  return pid
}

test.runIf(process.platform === 'linux')(
  'a process that ended and is not reaped yet is not alive',
  async () => {
    const pid = await unreaped()
    expect(process.kill(pid, 0)).toBe(true)
    expect(isAlive(pid)).toBe(false)
    expect(startOf(pid)).toBe('')
    expect(isAlive(process.pid)).toBe(true)
  },
)

test.runIf(process.platform === 'linux')(
  'its lock is taken over, with its start time and without',
  async () => {
    const home = fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-unreaped-'))
    onTestFinished(() => fs.rmSync(home, { recursive: true }))
    const file = path.join(home, 'a.lock')
    for (const start of ['-', '1']) {
      fs.writeFileSync(file, `${await unreaped()} ${start}`)
      const release = tryLock(file)
      expect(release).toBeTypeOf('function')
      if (typeof release === 'function') release()
    }
  },
)

test('a signal for a process that has just ended is no fault; a living one gets it', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  const ended = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)))
  signalIfAlive(child.pid as number, 'SIGTERM')
  expect(await ended).toBe('SIGTERM')
  expect(() => signalIfAlive(child.pid as number, 'SIGTERM')).not.toThrow()
})
