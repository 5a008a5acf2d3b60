import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openDirectoryStore } from '#server/adapters/object-store/directory.ts'
import { ProjectionConflict } from './projection-fault.ts'
import { about, exactly, putManyOnce, putOnce } from './put-once.ts'

const KEY = 'audit/2026-11-23/evt_1.json'

async function storeWith(text: string) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-put-once-'))
  onTestFinished(() => fs.rmSync(folder, { recursive: true }))
  const store = await openDirectoryStore(folder)
  await store.create(KEY, new TextEncoder().encode(text))
  return { store, standing: async () => new TextDecoder().decode((await store.get(KEY))?.bytes) }
}

test('what stands there and is another thing is a conflict, and stays', async () => {
  const { store, standing } = await storeWith('{"event_id":"evt_2"}')
  const mine = { key: KEY, text: '{"event_id":"evt_1"}', holds: about('event_id', 'evt_1') }
  const writing = putOnce(store, mine)
  await expect(writing).rejects.toBeInstanceOf(ProjectionConflict)
  const bytes = { key: KEY, text: 'a', holds: exactly('a', 'b') }
  await expect(putOnce(store, bytes)).rejects.toThrow('holds something else')
  const next = { key: `${KEY}-next`, text: 'a', holds: exactly('a') }
  expect(await putManyOnce(store, [bytes, next, mine])).toMatchObject([{ key: KEY }, null, { key: KEY }])
  expect(await putManyOnce(store, [next])).toEqual([null])
  expect(await standing()).toBe('{"event_id":"evt_2"}')
})

test('an earlier object of the same thing may stay', async () => {
  const { store, standing } = await storeWith('{"event_id":"evt_1","earlier":true}')
  const mine = { key: KEY, text: '{"event_id":"evt_1"}', holds: about('event_id', 'evt_1') }
  await putOnce(store, mine)
  expect(await putManyOnce(store, [mine])).toEqual([null])
  expect(await standing()).toBe('{"event_id":"evt_1","earlier":true}')
})
