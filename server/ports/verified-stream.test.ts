import { buffer } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { ArtifactCorrupt, StorageUnavailable, sha256Hex } from './object-store.ts'
import { verifiedStream } from './verified-stream.ts'

const PIECES = ['one ', 'two ', 'three'].map((text) => Buffer.from(text))
const WHOLE = Buffer.concat(PIECES)
const expected = { key: 'k', size: WHOLE.length, sha256: sha256Hex(WHOLE) }

function readerOf(pieces: readonly (Uint8Array | Error)[]) {
  const left = [...pieces]
  const count = { reads: 0, closed: 0 }
  const reader = {
    next: async () => {
      count.reads++
      const piece = left.shift() ?? null
      if (piece instanceof Error) throw piece
      return piece
    },
    close: () => void count.closed++,
  }
  return { reader, count }
}

test('gives every byte, and lets go of its reader', async () => {
  const { reader, count } = readerOf(PIECES)
  expect(await buffer(verifiedStream(expected, reader))).toEqual(WHOLE)
  expect(count).toEqual({ reads: 4, closed: 1 })
})

test('takes any digest when none is asked for, and still no early end', async () => {
  const any = { ...expected, sha256: null }
  const others = [Buffer.alloc(WHOLE.length)]
  expect(await buffer(verifiedStream(any, readerOf(others).reader))).toEqual(others[0])
  await expect(buffer(verifiedStream(any, readerOf(PIECES.slice(0, 2)).reader))).rejects.toThrow('cut off')
})

const broken = new StorageUnavailable('the connection broke')
test.each([
  ['an early end', PIECES.slice(0, 2), StorageUnavailable, 'cut off at 8 of 13 bytes'],
  ['nothing at all', [], StorageUnavailable, 'cut off at 0 of 13 bytes'],
  ['too much', [...PIECES, Buffer.from('!')], StorageUnavailable, '14 of 13'],
  ['other bytes', [Buffer.alloc(WHOLE.length)], ArtifactCorrupt, 'does not match its digest'],
  ['a fault of the reader', [Buffer.from('one '), broken], StorageUnavailable, 'the connection broke'],
])('%s is a fault, never the end', async (_, pieces, fault, message) => {
  const { reader, count } = readerOf(pieces)
  const failure = await buffer(verifiedStream(expected, reader)).catch((error) => error)
  expect(failure).toBeInstanceOf(fault)
  expect(failure.message).toContain(message)
  expect(count.closed).toBe(1)
})

test('reads nothing that nobody asks for, and lets go when it is given up', async () => {
  const { reader, count } = readerOf(PIECES)
  const stream = verifiedStream(expected, reader)
  const closed = new Promise((resolve) => stream.once('close', resolve))
  stream.destroy()
  await closed
  expect(count).toEqual({ reads: 0, closed: 1 })
})
