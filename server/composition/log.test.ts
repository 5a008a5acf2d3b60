import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { expect, test } from 'vitest'

const LOG = JSON.stringify(import.meta.resolve('./log.ts'))

/** Runs a program that logs a lot, its standard output being this; what it says of itself in the end. */
async function talksTo(output: number | 'pipe'): Promise<string> {
  const script = `const { createLog } = await import(${LOG})
    const log = createLog({ LOG_LEVEL: 'info' }, 'test')
    for (let n = 0; n < 100; n++) { log.info('a line'); await new Promise((resolve) => setImmediate(resolve)) }
    process.stderr.write('alive')`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', output, 'pipe'],
  })
  child.stdout?.destroy()
  let said = ''
  child.stderr?.on('data', (data) => {
    said += data
  })
  const [code] = await once(child, 'close')
  return `${said} ${code}`
}

test('a reader that is gone ends nothing', async () => {
  expect(await talksTo('pipe')).toBe('alive 0')
})

test.runIf(process.platform === 'linux')('a full disk ends nothing', async () => {
  const full = fs.openSync('/dev/full', 'w')
  expect(await talksTo(full)).toBe('alive 0')
  fs.closeSync(full)
})
