import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import { protectSecrets } from '#server/redaction/redact.ts'
import { createLog } from './log.ts'

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

protectSecrets(['configured-secret-value'])

function written(service = 'test') {
  const lines: string[] = []
  const log = createLog({ LOG_LEVEL: 'debug' }, service, { write: (line) => lines.push(line) })
  const last = () => JSON.parse(lines.at(-1) ?? '{}') as Record<string, unknown>
  return { log, lines, last }
}

describe('a log line', () => {
  it('says when, how bad, which service on which node', () => {
    const { log, last } = written('worker')
    log.warn({ job_id: 'j' }, 'slow')
    expect(last()).toMatchObject({ level: 'WARNING', service: 'worker', msg: 'slow', job_id: 'j' })
    expect(last().node).toEqual(expect.any(String))
    expect(Date.parse(String(last().ts))).not.toBeNaN()
  })

  it('has no secret, at whatever depth, in the message neither', () => {
    const { log, lines } = written()
    log
      .child({ token: 'child-secret' })
      .error({ password: 'pw-secret', a: { b: [{ cookie: 'c-secret' }] } }, 'x')
    log.error({ note: 'has configured-secret-value in it' }, 'and configured-secret-value too')
    expect(lines.join('')).not.toMatch(/child-secret|pw-secret|c-secret|configured-secret-value/)
  })

  it('keeps code, message and stack of an error, and nothing that hangs on it', () => {
    const { log, last } = written()
    const error = Object.assign(new Error('postgresql://me:hunter22@db/x refused'), {
      code: 'ECONNREFUSED',
      detail: 'Key (password)=(hunter22)',
    })
    log.error({ err: error }, 'no')
    const err = last().err as Record<string, string>
    expect(Object.keys(err)).toEqual(['code', 'message', 'stack'])
    expect(err.code).toBe('ECONNREFUSED')
    expect(err.stack).toContain('log.test.ts')
    expect(JSON.stringify(err)).not.toContain('hunter22')
  })

  it.each([
    ['a long text', { text: 'ї'.repeat(40_000) }],
    ['many of them', { list: Array.from({ length: 90 }, () => 'a text '.repeat(130)) }],
    [
      'many fields',
      Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`field_${n}`, 'y'.repeat(20)])),
    ],
  ])('has at most 16 KB: %s', (_, fields) => {
    const { log, lines, last } = written()
    log.info(fields, 'long')
    expect(Buffer.byteLength(lines.at(-1) ?? '')).toBeLessThanOrEqual(16 * 1024)
    expect(last()).toMatchObject({ msg: 'long', truncated: true, level: 'INFO' })
  })
})
