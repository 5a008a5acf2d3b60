import { describe, expect, it } from 'vitest'
import { protectSecrets } from '#server/redaction/redact.ts'
import { createLog } from './log.ts'

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
    ['many of them', { list: Array.from({ length: 90 }, () => 'x'.repeat(900)) }],
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
