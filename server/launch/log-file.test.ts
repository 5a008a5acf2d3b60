import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openLog } from './log-file.mjs'

let folder: string
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-log-'))
})
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }))

test('lines are appended to what is there', () => {
  const file = path.join(folder, 'logs/web.log')
  for (const line of ['one', 'two']) {
    const log = openLog(file)
    log.write(line)
    log.close()
  }
  expect(fs.readFileSync(file, 'utf8')).toBe('one\ntwo\n')
})

test('a log that has grown large goes aside while its program runs, and so does what an earlier start left', () => {
  const file = path.join(folder, 'web.log')
  const read = () => [`${file}.1`, file].map((name) => fs.readFileSync(name, 'utf8'))
  const log = openLog(file, 10)
  for (const line of ['one', 'two', 'three', 'four']) log.write(line)
  expect(read()).toEqual(['one\ntwo\nthree\n', 'four\n'])
  log.write('five and six')
  log.close()
  openLog(file, 10).write('seven')
  expect(read()).toEqual(['four\nfive and six\n', 'seven\n'])
})

test('a log that cannot be opened loses lines, and says how many once it can', () => {
  fs.writeFileSync(path.join(folder, 'logs'), 'in the way')
  const file = path.join(folder, 'logs/web.log')
  const log = openLog(file)
  log.write('lost')
  log.write('lost')
  fs.rmSync(path.join(folder, 'logs'))
  log.write('kept')
  log.write('kept too')
  log.close()
  expect(fs.readFileSync(file, 'utf8')).toBe('\n(2 lines were lost)\nkept\nkept too\n')
})

test.runIf(process.platform === 'linux')('a full disk is not in the way', () => {
  const file = path.join(folder, 'web.log')
  fs.symlinkSync('/dev/full', file)
  const log = openLog(file)
  expect(() => log.write('lost')).not.toThrow()
  expect(() => log.close()).not.toThrow()
})
