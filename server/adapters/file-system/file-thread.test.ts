import { once } from 'node:events'
import { mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FileThread } from './file-thread.ts'

let root: string
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'bloom-file-thread-')))
})
afterEach(() => rm(root, { recursive: true, force: true }))

/** Files of which each holds its own name. */
const holding = (...names: string[]) => ({
  root,
  staged: join(root, 'staged'),
  bytes: new TextEncoder().encode(names.join('')),
  files: names.map((name) => ({ path: join(root, name), length: name.length })),
})

/** The next thread that this process starts. */
const nextThread = async (): Promise<Worker> => (await once(process, 'worker'))[0]

test('batches do not wait for each other, and each file has its own bytes', async () => {
  const thread = new FileThread()
  expect(await thread.create(holding('a/one', 'two'))).toEqual(['created', 'created'])
  const outcomes = await Promise.all([
    thread.create(holding('three', 'two', 'two/below', 'a/b/c/four', 'a/one')),
    thread.create({ ...holding('five', 'a/b/six'), staged: join(root, 'aside') }),
    thread.create(holding()),
  ])
  expect(outcomes).toEqual([['created', 'taken', 'blocked', 'created', 'taken'], ['created', 'created'], []])
  for (const name of ['a/one', 'two', 'three', 'a/b/c/four', 'five', 'a/b/six'])
    expect(await readFile(join(root, name), 'utf8')).toBe(name)
  expect((await readdir(root)).sort()).toEqual(['a', 'five', 'three', 'two'])
})

test('more files than may be open at a time are created in parts', async () => {
  const names = Array.from({ length: 600 }, (_, n) => `many/${n}`)
  const outcomes = await new FileThread().create(holding(...names))
  expect(new Set(outcomes)).toEqual(new Set(['created']))
  expect((await readdir(join(root, 'many'))).length).toBe(names.length)
})

test('a fault of the disk is told with its code, and leaves nothing aside', async () => {
  const thread = new FileThread()
  const nowhere = { ...holding('a', 'b'), staged: join(root, 'missing', 'staged') }
  await expect(thread.create(nowhere)).rejects.toMatchObject({ code: 'ENOENT' })
  expect(await readdir(root)).toEqual([])
  const tooLong = 'n'.repeat(256)
  await expect(thread.create(holding('a', tooLong))).rejects.toMatchObject({ code: 'ENAMETOOLONG' })
  expect(await readdir(root)).toEqual(['a'])
})

test('a thread that ends rejects its batch, and the next one is created by another', async () => {
  const thread = new FileThread()
  const started = nextThread()
  const lost = expect(thread.create(holding('a'))).rejects.toThrow('ended')
  await (await started).terminate()
  await lost
  expect(await thread.create(holding('b'))).toEqual(['created'])
})

test('an idle thread ends, and the next batch starts another', async () => {
  const thread = new FileThread({ idleMs: 0 })
  for (const name of ['a', 'b']) {
    const ended = nextThread().then((worker) => once(worker, 'exit'))
    expect(await thread.create(holding(name))).toEqual(['created'])
    await ended
  }
})
