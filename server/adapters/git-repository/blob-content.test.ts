import { createHash, randomBytes } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { blobContent } from './blob-content.ts'

const stored = (content: Uint8Array, header = `blob ${content.length}`) => {
  const wrapped = Buffer.concat([Buffer.from(`${header}\0`), content])
  return { oid: createHash('sha1').update(wrapped).digest('hex'), object: deflateSync(wrapped) }
}
const small = Buffer.from('Leeks.\n')
const large = randomBytes(200_000)

test.each([
  ['nothing', Buffer.alloc(0)],
  ['a few bytes', small],
  ['many bytes', large],
])('%s is read as it was written', async (_, content) => {
  const bytes = await blobContent(stored(content))
  expect(Buffer.compare(bytes, content)).toBe(0)
  // What is kept in memory is little more than the content.
  expect(bytes.buffer.byteLength).toBeLessThan(content.length + 1_000)
})

test('a large one is inflated while others have their turn, a small one at once', async () => {
  const first = async (content: Uint8Array) => {
    const order: string[] = []
    await Promise.all([
      blobContent(stored(content)).then(() => order.push('read')),
      new Promise(setImmediate).then(() => order.push('another')),
    ])
    return order[0]
  }
  expect([await first(large), await first(small)]).toEqual(['another', 'read'])
})

test('what a pack gave is taken as it is, if it is a blob', async () => {
  const packed = { oid: '', object: small, format: 'content', type: 'blob' }
  expect(await blobContent(packed)).toBe(small)
  await expect(blobContent({ ...packed, type: 'tree' })).rejects.toThrow('not a whole blob')
})

test.each([
  ['torn', { ...stored(large), object: stored(large).object.subarray(0, 100_000) }],
  ['of another id', { ...stored(large), oid: stored(small).oid }],
  ['no blob', stored(small, 'tree 7')],
  ['of another length', stored(small, 'blob 8')],
])('an object that is %s is not read', async (_, object) => {
  await expect(blobContent(object)).rejects.toThrow()
})
