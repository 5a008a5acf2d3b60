import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { tryLock } from './lock.mjs'
import { isAlive } from './process-identity.mjs'

let home: string
let file: string
beforeEach(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-lock-'))
  file = path.join(home, 'a.lock')
})
afterEach(() => fs.rmSync(home, { recursive: true, force: true }))

const LOCK = JSON.stringify(path.join(import.meta.dirname, 'lock.mjs'))

function run(script: string): Promise<string> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (data) => (output += data))
  return new Promise((resolve) => child.once('close', () => resolve(output)))
}

describe('a lock', () => {
  test('is had by one, also within one process, until it is released', () => {
    const release = tryLock(file)
    expect(tryLock(file)).toBe(process.pid)
    if (typeof release === 'function') release()
    const again = tryLock(file)
    expect(again).toBeTypeOf('function')
    if (typeof again === 'function') again()
    expect(fs.readdirSync(home)).toEqual([])
  })

  test('names the living owner to another process', async () => {
    const release = tryLock(file)
    const seen = await run(`import { tryLock } from ${LOCK}; console.log(tryLock(${JSON.stringify(file)}))`)
    expect(Number(seen)).toBe(process.pid)
    if (typeof release === 'function') release()
  })

  test('does not hold in a copy of the folder', async () => {
    tryLock(file)
    const copy = path.join(home, 'copy.lock')
    fs.cpSync(file, copy)
    const seen = await run(`import { tryLock } from ${LOCK}
      console.log([${JSON.stringify(file)}, ${JSON.stringify(copy)}].map((one) => typeof tryLock(one)).join())`)
    expect(seen.trim()).toBe('number,function')
  })

  test('of an owner that died is taken over', async () => {
    await run(`import { tryLock } from ${LOCK}; tryLock(${JSON.stringify(file)})`)
    expect(fs.existsSync(file)).toBe(true)
    expect(tryLock(file)).toBeTypeOf('function')
  })

  test.runIf(process.platform === 'linux')('is not kept alive by a later process with the same id', () => {
    fs.writeFileSync(file, '')
    fs.writeFileSync(file, `${process.ppid} 1 ${fs.statSync(file).ino}`)
    expect(isAlive(process.ppid)).toBe(true)
    expect(tryLock(file)).toBeTypeOf('function')
  })

  test('lets one at a time through, also past a dead owner', async () => {
    fs.writeFileSync(file, '999999999 1')
    const counter = path.join(home, 'counter')
    fs.writeFileSync(counter, '0')
    const script = `import fs from 'node:fs'; import { withLock } from ${LOCK}
      for (let i = 0; i < 10; i++) await withLock(${JSON.stringify(file)}, async () => {
        const value = Number(fs.readFileSync(${JSON.stringify(counter)}, 'utf8'))
        await new Promise((resolve) => setImmediate(resolve))
        fs.writeFileSync(${JSON.stringify(counter)}, String(value + 1))
      })`
    await Promise.all(Array.from({ length: 4 }, () => run(script)))
    expect(fs.readFileSync(counter, 'utf8')).toBe('40')
  })
})
