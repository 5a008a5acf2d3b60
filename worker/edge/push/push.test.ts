import fs from 'node:fs'
import { expect, test } from 'vitest'
import { digestLine } from '#domain/membridge/project-keys.ts'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { startChild } from '../testing/child.ts'
import { makeMemoryFile } from '../testing/memory-file.ts'
import { runEdge } from '../testing/run-edge.ts'
import {
  addRows,
  CID,
  expectLockReleased,
  expectSynced,
  KEYS,
  makeFolderStore,
  makeSyncNode,
  objectJson,
  objectText,
} from '../testing/sync-kit.ts'

test('a first push brings pointer, snapshot and mirror, and leaves nothing behind', async () => {
  const { store, settings } = await makeFolderStore()
  const node = makeSyncNode(settings, 'a', { rows: 40, tables: 28 })
  const { exitCode, stdout, said } = await node.run(['push'])
  expect(exitCode).toBe(0)
  expect(stdout).toMatch(/^RESULT: pushed\nsha256: [0-9a-f]{64}\nobservations: 40\nterm: 1\n$/)
  expect(said).toMatch(/^snapshot: 40 observations, \d+ bytes, sha256 [0-9a-f]{64}\nupload: /)
  await expectSynced(store, node)
  await expectLockReleased(store)
  expect((await store.list('')).keys.filter((key) => !key.startsWith('projects/'))).toEqual([])
})

test('nodes of today read what was pushed: fields of the manifest, mirror and hash line byte by byte', async () => {
  const { store, settings } = await makeFolderStore()
  const node = makeSyncNode(settings, 'a', { rows: 7, tables: 28 })
  await node.run(['cm-push'])
  const text = await objectText(store, KEYS.pointer)
  const pointer = JSON.parse(text)
  const size = (await store.get(KEYS.mirror))?.bytes.length
  expect(pointer).toMatchObject({
    ...{ project: 'mem', canonical_id: CID, source_host: 'test-node', db_size: size, observations: 7 },
    ...{ session_summaries: 1, user_prompts: 2, tables: 28, node_id: 'a', epoch: 1, term: 1 },
    ...{ previous_sha256: null, db_key: KEYS.snapshot(pointer.sha256) },
  })
  expect(Object.keys(pointer).toSorted()).toEqual(
    [
      ...[
        'canonical_id',
        'content_sha256',
        'db_key',
        'db_size',
        'epoch',
        'node_id',
        'observations',
        'previous_sha256',
      ],
      ...[
        'project',
        'push_id',
        'recent',
        'session_summaries',
        'sha256',
        'source_host',
        'tables',
        'term',
        'timestamp',
      ],
      'user_prompts',
    ].toSorted(),
  )
  expect(text).toBe(JSON.stringify(pointer, null, 2))
  expect(Buffer.from((await store.get(KEYS.mirrorSha))?.bytes ?? '')).toEqual(
    Buffer.from(`${pointer.sha256}  claude-mem.db\n`),
  )
  expect(await objectText(store, KEYS.snapshotSha(pointer.sha256))).toBe(digestLine(pointer.sha256))
})

test('what is there already is not pushed again, and an untouched file is not even read', async () => {
  const { store, settings } = await makeFolderStore()
  const node = makeSyncNode(settings, 'a', { rows: 40 })
  await node.run(['push'])
  const { etag } = (await store.get(KEYS.pointer)) ?? {}
  const again = async () => {
    const { exitCode, stdout, said } = await node.run(['push'])
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^RESULT: remote already up to date\n/)
    return said
  }
  // A file that was just written is read until its date tells.
  await waitUntil(async () => (await again()) === '', { what: 'a push without a snapshot' })
  expect((await store.get(KEYS.pointer))?.etag).toBe(etag)
  const { sha256 } = await objectJson(store, KEYS.pointer)
  await store.remove(KEYS.snapshot(sha256))
  expect(await again()).toMatch(/^snapshot: /)
  await expectSynced(store, node)
  addRows(node.database)
  expect((await node.run(['push'])).stdout).toMatch(/^RESULT: pushed\n/)
})

test('one that changed is pushed upon the one before', async () => {
  const { store, settings } = await makeFolderStore()
  const node = makeSyncNode(settings)
  await node.run(['push'])
  const before = await objectJson(store, KEYS.pointer)
  addRows(node.database)
  const { exitCode, said } = await node.run(['push', '--json'])
  expect({ exitCode, warned: said.includes('WARNING') }).toEqual({ exitCode: 0, warned: false })
  const after = await objectJson(store, KEYS.pointer)
  expect(after).toMatchObject({ previous_sha256: before.sha256, observations: 4 })
  expect(after.recent).toHaveLength(2)
  await expectSynced(store, node)
})

test('a push over a copy that this node does not know says so', async () => {
  const { store, settings } = await makeFolderStore()
  const a = makeSyncNode(settings, 'a')
  await a.run(['push'])
  const b = makeSyncNode(settings, 'b', { rows: 9 })
  const { exitCode, said } = await b.run(['push'], { env: { ALLOW_SECONDARY_PUSH: '1' } })
  expect(exitCode).toBe(0)
  expect(said).toContain('WARNING: the remote copy is not the one that this node synced last')
  expect(said).toContain('OVERRIDE: ALLOW_SECONDARY_PUSH=1 is active')
  await expectSynced(store, b)
})

test('a worker goes on writing during a push, and the push holds one consistent state', async () => {
  const { store, settings } = await makeFolderStore()
  const node = makeSyncNode(settings, 'a', { rows: 2000 })
  const writer = await startChild('live-writer.ts', [node.database, 'write'])
  await startChild('live-writer.ts', [node.database, 'read'])
  for (let round = 0; round < 3; round++) {
    expect(await runEdge(node, ['push'], node.env)).toMatchObject({ code: 0 })
    const { sha256, observations } = await objectJson(store, KEYS.pointer)
    fs.writeFileSync(node.path('copy.db'), (await store.get(KEYS.snapshot(sha256)))?.bytes ?? '')
    expect(observations).toBeGreaterThan(2000)
  }
  expect(() => process.kill(writer.pid, 0)).not.toThrow()
  await writer.kill()
  expect((await node.run(['push'])).exitCode).toBe(0)
  await expectSynced(store, node)
})

test('a mirror that a killed push left behind is completed', async () => {
  const { store, settings } = await makeFolderStore()
  const node = makeSyncNode(settings)
  await node.run(['push'])
  await store.remove(KEYS.mirrorSha)
  expect(await node.run(['push'])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('already up to date'),
  })
  await expectSynced(store, node)
})

test('a link to a database elsewhere is followed', async () => {
  const { store, settings } = await makeFolderStore()
  const node = makeSyncNode(settings, 'a', null)
  fs.mkdirSync(node.path('disk'))
  makeMemoryFile(node.path('disk', 'real.db'))
  fs.symlinkSync(node.path('disk', 'real.db'), node.database)
  expect((await node.run(['push'])).exitCode).toBe(0)
  await expectSynced(store, node)
  expect(fs.readdirSync(node.path('disk')).filter((name) => name.startsWith('.membridge'))).toEqual([])
})
