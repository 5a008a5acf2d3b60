import fs from 'node:fs'
import { expect, test } from 'vitest'
import { startChild } from '../testing/child.ts'
import { makeMemoryFile } from '../testing/memory-file.ts'
import {
  addRows,
  expectNoTemporaries,
  expectSynced,
  KEYS,
  makeFolderStore,
  makeSyncNode,
  objectJson,
  objectText,
  putText,
} from '../testing/sync-kit.ts'

const SETTINGS = { CLAUDE_MEM_DB: '', CLAUDE_PROJECT_ID: '', MINIO_ENDPOINT: '' }

test.each(Object.keys(SETTINGS))('without %s a push names it and ends with 1', async (name) => {
  const { settings } = await makeFolderStore()
  const node = makeSyncNode(settings)
  const { exitCode, stderr } = await node.run(['push'], { env: { [name]: '' } })
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: `ERROR: ${name} not set\n` })
})

test('a node id that climbs is refused', async () => {
  const { settings } = await makeFolderStore()
  const { exitCode, stderr } = await makeSyncNode(settings, '../x').run(['push'])
  expect(exitCode).toBe(1)
  expect(stderr).toBe('ERROR: MEMBRIDGE_NODE_ID must be one line of 1 to 128 characters without ".."\n')
})

const LEASE = { primary_node_id: 'a', issued_at: 1, expires_at: 2, lease_seconds: 3600, epoch: 3, term: 1 }
test.each<[string, string]>([
  ['truncated', JSON.stringify(LEASE).slice(0, 40)],
  ['an array', '[]'],
  ['of an epoch that is text', JSON.stringify({ ...LEASE, epoch: '3' })],
  ['empty', ''],
])('a lease that is %s makes nobody primary: 1, and nothing is written', async (_what, text) => {
  const { store, settings } = await makeFolderStore()
  const node = makeSyncNode(settings)
  await putText(store, KEYS.lease, text)
  for (const args of [['push'], ['leadership']]) {
    const { exitCode, stderr } = await node.run(args)
    expect(exitCode).toBe(1)
    expect(stderr).toMatch(
      /^ERROR: the role of this node is unknown \(.*\).*membridge doctor.*select a primary/,
    )
  }
  expect((await store.list('projects/')).keys).toEqual([KEYS.lease])
  expect(await objectText(store, KEYS.lease)).toBe(text)
})

test.each(['{', '[]', '{"term":"1"}', '{"sha256":5}'])(
  'a pointer that is %s stops a push with 1',
  async (text) => {
    const { store, settings } = await makeFolderStore()
    await putText(store, KEYS.pointer, text)
    const { exitCode, stderr } = await makeSyncNode(settings).run(['push'])
    expect(exitCode).toBe(1)
    expect(stderr).toMatch(/^ERROR: the role of this node is unknown \(manifest\.json: .*\)/)
    expect((await store.list('projects/')).keys).toEqual([KEYS.pointer])
  },
)

test('a pointer that names an object which is not there does not stop a push of other content', async () => {
  const { store, settings } = await makeFolderStore()
  const node = makeSyncNode(settings)
  await putText(store, KEYS.pointer, JSON.stringify({ sha256: 'd'.repeat(64), observations: 1 }))
  expect(await node.run(['push'])).toMatchObject({
    exitCode: 0,
    said: expect.stringContaining('WARNING: the remote copy'),
  })
  await expectSynced(store, node)
})

test('a pointer of a node of today, without term or db key, is pushed upon', async () => {
  const { store, settings } = await makeFolderStore()
  const node = makeSyncNode(settings)
  const today = { project: 'mem', sha256: 'd'.repeat(64), observations: 2, timestamp: '2026-01-01T00:00:00Z' }
  await putText(store, KEYS.pointer, JSON.stringify(today))
  expect((await node.run(['push'])).exitCode).toBe(0)
  expect(await objectJson(store, KEYS.pointer)).toMatchObject({ previous_sha256: today.sha256, term: 1 })
  await expectSynced(store, node)
})

test('other bytes under the name of this snapshot: 1 with the object to remove, and no pointer', async () => {
  const { store, settings } = await makeFolderStore()
  const node = makeSyncNode(settings)
  await node.run(['push'])
  const { sha256 } = await objectJson(store, KEYS.pointer)
  const fresh = await makeFolderStore()
  await putText(fresh.store, KEYS.snapshot(sha256), 'other bytes')
  const { exitCode, stderr } = await node.run(['push'], { env: fresh.settings })
  expect(exitCode).toBe(1)
  expect(stderr).toMatch(
    /^ERROR: the upload failed: the store holds other bytes under projects\/.*remove this object/,
  )
  // The term is new in that store, so a stub carries it.
  expect(await objectJson(fresh.store, KEYS.pointer)).toMatchObject({ sha256: null, term: 2 })
  expect(await objectJson(fresh.store, KEYS.lock)).toMatchObject({ released: true })
})

test.each<[string, (file: string) => unknown, RegExp, Record<string, string>]>([
  ['absent', (file) => fs.rmSync(file), /does not exist: check CLAUDE_MEM_DB, or pull first/, {}],
  ['no SQLite', (file) => fs.writeFileSync(file, 'x'.repeat(9000)), /is not an SQLite database/, {}],
  ['corrupt', (file) => fs.truncateSync(file, 20_000), /is corrupt.*pull, or put back a backup/, {}],
  [
    'too large',
    () => {},
    /more than MEMBRIDGE_MAX_DB_BYTES \(9000\): raise that limit/,
    { MEMBRIDGE_MAX_DB_BYTES: '9000' },
  ],
  [
    'locked',
    (file) => startChild('live-writer.ts', [file, 'lock']),
    /is locked by another process: close/,
    {},
  ],
])('a database that is %s ends a push with 1 and no lock', async (_what, spoil, line, env) => {
  const { store, settings } = await makeFolderStore()
  const node = makeSyncNode(settings, 'a', null)
  makeMemoryFile(node.database, { rows: 500, wal: false })
  await spoil(node.database)
  const { exitCode, stderr, stdout } = await node.run(['push'], { env })
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
  expect(stderr).toMatch(line)
  expect(stderr).toMatch(/^ERROR: [^\n]*\n$/)
  for (const key of [KEYS.pointer, KEYS.lock]) expect(await store.get(key)).toBeNull()
  expectNoTemporaries(node)
})

test.each(['{', '[]', '{"term":"x"}', ''])(
  'a sync state that is %j is kept aside, and the push goes on',
  async (text) => {
    const { store, settings } = await makeFolderStore()
    const node = makeSyncNode(settings)
    await node.run(['push'])
    const [name = ''] = fs.readdirSync(node.path('.membridge/state'))
    fs.writeFileSync(node.path('.membridge/state', name), text)
    addRows(node.database)
    expect((await node.run(['push'])).exitCode).toBe(0)
    await expectSynced(store, node)
    expect(fs.readdirSync(node.path('.membridge/state')).some((file) => file.includes('.corrupt-'))).toBe(
      true,
    )
  },
)
