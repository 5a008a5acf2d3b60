import crypto from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { digestOf, openDigests } from './digests.mjs'

const LONG_AFTER_MS = 10_000
let folder: string
let file: string
let index: string
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-digests-'))
  file = path.join(folder, 'file')
  index = path.join(folder, 'cache/digests.json')
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + LONG_AFTER_MS })
})
afterEach(() => {
  vi.useRealTimers()
  fs.rmSync(folder, { recursive: true, force: true })
})

const sha256 = (text: string) => crypto.createHash('sha256').update(text).digest('hex')

/** What a process that is started now says. */
function digestNow(): string {
  const digests = openDigests(index)
  const digest = digests.contentOf(file)
  digests.save()
  return digest
}

test('is what the file holds, also when it was remembered', () => {
  fs.writeFileSync(file, 'one')
  expect([digestNow(), digestNow()]).toEqual([sha256('one'), sha256('one')])
})

test('an unchanged file is not read again', () => {
  fs.writeFileSync(file, 'one')
  digestNow()
  fs.writeFileSync(index, fs.readFileSync(index, 'utf8').replace(sha256('one'), 'remembered'))
  expect(digestNow()).toBe('remembered')
})

test('another content of the same length, with the time of the one before, is seen', () => {
  fs.writeFileSync(file, 'one')
  const { atime, mtime } = fs.statSync(file)
  digestNow()
  fs.writeFileSync(file, 'two')
  fs.utimesSync(file, atime, mtime)
  expect(digestNow()).toBe(sha256('two'))
})

test('another file in its place, older than the one before, is seen', () => {
  fs.writeFileSync(path.join(folder, 'other'), 'two')
  fs.writeFileSync(file, 'one')
  digestNow()
  fs.renameSync(path.join(folder, 'other'), file)
  expect(digestNow()).toBe(sha256('two'))
})

test('a file that was changed just now is not remembered', () => {
  vi.useRealTimers()
  fs.writeFileSync(file, 'one')
  digestNow()
  expect(fs.existsSync(index)).toBe(false)
})

test('an index that holds no digests is made anew', () => {
  fs.writeFileSync(file, 'one')
  fs.mkdirSync(path.dirname(index))
  fs.writeFileSync(index, '{"not":"ours"}')
  expect(digestNow()).toBe(sha256('one'))
  expect(fs.readFileSync(index, 'utf8')).toContain(sha256('one'))
})

test('an index that cannot be written is done without', () => {
  fs.writeFileSync(file, 'one')
  fs.writeFileSync(path.dirname(index), 'a file where the folder would be')
  expect(digestNow()).toBe(sha256('one'))
})

test('of the checkout: the same for the same files, another for others, one for none', () => {
  expect(digestOf(['server/launch'])).toBe(digestOf(['server/launch']))
  expect(digestOf(['server/launch'], (name) => name.endsWith('.mjs'))).not.toBe(digestOf(['server/launch']))
  expect(digestOf(['no/such/folder'])).toBe(digestOf([]))
})

test('a file that is gone leaves the index with the next that is written', () => {
  fs.writeFileSync(file, 'one')
  digestNow()
  const other = path.join(folder, 'other')
  fs.renameSync(file, other)
  file = other
  expect(digestNow()).toBe(sha256('one'))
  expect(fs.readFileSync(index, 'utf8')).not.toContain(path.join(folder, 'file'))
})
