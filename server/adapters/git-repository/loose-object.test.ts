import { createHash, randomBytes } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { contentOf, looseObject } from './loose-object.ts'

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
  const bytes = await contentOf('blob', stored(content))
  expect(Buffer.compare(bytes, content)).toBe(0)
  // What is kept in memory is little more than the content.
  expect(bytes.buffer.byteLength).toBeLessThan(content.length + 1_000)
})

test.each([
  ['blob', small],
  ['blob', large],
  ['tree', Buffer.alloc(0)],
] as const)('a %s is packed under the id of git, and read again', async (kind, content) => {
  const packed = await looseObject(kind, content)
  expect(packed.oid).toBe(stored(content, `${kind} ${content.length}`).oid)
  expect(Buffer.compare(await contentOf(kind, packed), content)).toBe(0)
})

test.each([
  ['read', (content: Uint8Array) => contentOf('blob', stored(content))],
  ['packed', (content: Uint8Array) => looseObject('blob', content)],
])('a large one is %s while others have their turn, a small one at once', async (_, work) => {
  const first = async (content: Uint8Array) => {
    const order: string[] = []
    await Promise.all([
      work(content).then(() => order.push('done')),
      new Promise(setImmediate).then(() => order.push('another')),
    ])
    return order[0]
  }
  expect([await first(large), await first(small)]).toEqual(['another', 'done'])
})

test('the empty tree has no file and is read all the same', async () => {
  const { oid } = await looseObject('tree', Buffer.alloc(0))
  const bytes = await contentOf('tree', { oid, object: Buffer.from('tree 0\0'), format: 'wrapped' })
  expect(bytes).toHaveLength(0)
})

test('what a pack gave is taken as it is, if it is a blob', async () => {
  const packed = { oid: '', object: small, format: 'content', type: 'blob' }
  expect(await contentOf('blob', packed)).toBe(small)
  await expect(contentOf('blob', { ...packed, type: 'tree' })).rejects.toThrow('not a whole blob')
})

test.each([
  ['torn', { ...stored(large), object: stored(large).object.subarray(0, 100_000) }],
  ['of another id', { ...stored(large), oid: stored(small).oid }],
  ['no blob', stored(small, 'tree 7')],
  ['of another length', stored(small, 'blob 8')],
])('an object that is %s is not read', async (_, object) => {
  await expect(contentOf('blob', object)).rejects.toThrow()
})
