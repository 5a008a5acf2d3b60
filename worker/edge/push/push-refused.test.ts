import fs from 'node:fs'
import { expect, test } from 'vitest'
import { NOTHING_KNOWN } from '#domain/leadership/known-terms.rules.ts'
import { selectPrimary } from '#domain/leadership/selection-protocol.ts'
import { runProtocol } from '#server/leadership/run-protocol.ts'
import type { ObjectStore } from '#server/ports/object-store.ts'
import { pushFrom } from '../commands/push.command.ts'
import { openSync } from '../sync/node-context.ts'
import { startChild } from '../testing/child.ts'
import { makeMemoryFile } from '../testing/memory-file.ts'
import {
  addRows,
  ageLock,
  CID,
  expectNoTemporaries,
  expectSynced,
  KEYS,
  makeFolderStore,
  makeSyncNode,
  objectJson,
  putText,
  type SyncNode,
} from '../testing/sync-kit.ts'

/** Makes another node the primary, as the control plane does, whatever push is under way. */
const select = (store: ObjectStore, primaryNodeId: string) =>
  runProtocol(
    selectPrimary(
      {
        ...{ canonicalId: CID, primaryNodeId, leaseSeconds: 3600, issuedBy: 'control-plane' },
        ...{ expectedEpoch: null, force: true, reason: 'a test' },
      },
      { ttlSeconds: 7200, graceSeconds: 60 },
      NOTHING_KNOWN,
    ),
    { store, canonicalId: CID, actor: 'control-plane', warn: () => {} },
  )

/** A push of this node with a store that does something of its own. */
async function pushWith(node: SyncNode, wrap: (store: ObjectStore) => Partial<ObjectStore>) {
  const host = { ...node.host, env: node.env }
  const context = await openSync({ host, given: {}, say: () => {}, stopped: new AbortController().signal })
  const own = wrap(context.store)
  const store = new Proxy(context.store, {
    get: (target, name) => {
      const value = name in own ? own[name as keyof ObjectStore] : Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(name in own ? own : target) : value
    },
  })
  return pushFrom({ ...context, store })
}

test('a secondary is refused with 3, the primary, the call that promotes and the override', async () => {
  const { store, settings } = await makeFolderStore()
  await makeSyncNode(settings, 'a').run(['push'])
  const { etag } = (await store.get(KEYS.pointer)) ?? {}
  const b = makeSyncNode(settings, 'b', { rows: 9 })
  const { exitCode, stderr } = await b.run(['push'])
  expect(exitCode).toBe(3)
  expect(stderr).toMatch(
    /^SECONDARY: push blocked by default\. The primary of term 1 is a, this node is b\.\n/,
  )
  expect(stderr).toContain(`/projects/${CID}/leadership/select`)
  expect(stderr).toContain('ALLOW_SECONDARY_PUSH=1 membridge push')
  expect((await store.get(KEYS.pointer))?.etag).toBe(etag)
  expectNoTemporaries(b)
})

test('a push whose primary is replaced while it uploads ends with STALE TERM, 3, and changes nothing', async () => {
  const { store, settings } = await makeFolderStore()
  const node = makeSyncNode(settings, 'a')
  await node.run(['push'])
  const before = await objectJson(store, KEYS.pointer)
  addRows(node.database)
  const pushing = pushWith(node, (real) => ({
    createFrom: async (key, source, type) => {
      const stored = await real.createFrom(key, source, type)
      await select(store, 'b')
      return stored
    },
  }))
  await expect(pushing).rejects.toMatchObject({
    exitCode: 3,
    label: '',
    message: expect.stringMatching(
      /^STALE TERM: this push began with term 1, and term 2 counts now.*membridge pull$/,
    ),
  })
  const after = await objectJson(store, KEYS.pointer)
  expect(after).toEqual({ ...before, epoch: 2, term: 2 })
  expect(await objectJson(store, KEYS.lock)).toMatchObject({ released: true })
  expectNoTemporaries(node)
})

test('a remote copy with more observations is REMOTE AHEAD, and FORCE_PUSH replaces it', async () => {
  const { store, settings } = await makeFolderStore()
  const node = makeSyncNode(settings, 'a', { rows: 30 })
  await node.run(['push'])
  fs.rmSync(node.database)
  makeMemoryFile(node.database, { rows: 4 })
  const refused = await node.run(['push'])
  expect(refused.exitCode).toBe(1)
  expect(refused.stderr).toMatch(
    /^REMOTE AHEAD: the remote copy holds 30 observations.*membridge pull.*FORCE_PUSH=1/,
  )
  expect((await node.run(['push'], { env: { FORCE_PUSH: '1' } })).exitCode).toBe(0)
  await expectSynced(store, node)
})

test('a foreign Push Lock: active and in grace it blocks, stale it is stolen, forced it is overridden', async () => {
  const { store, settings } = await makeFolderStore()
  const node = makeSyncNode(settings, 'a')
  await node.run(['push'])
  const hold = async (age: number) => {
    const body = {
      hostname: 'other',
      node_id: 'other',
      timestamp: 0,
      owner_token: 't',
      term: 1,
      ttl_seconds: 7200,
    }
    await putText(store, KEYS.lock, JSON.stringify({ ...body, timestamp: Date.now() / 1000 }))
    await ageLock(store, age)
    addRows(node.database)
  }
  await hold(100)
  const active = await node.run(['push'])
  expect(active.exitCode).toBe(1)
  expect(active.stderr).toMatch(
    /^LOCK ACTIVE — held by other for 10\ds \(TTL 7200s\)\. Run membridge push.*FORCE_PUSH=1/,
  )
  const forced = await node.run(['push'], { env: { FORCE_PUSH: '1' } })
  expect(forced).toMatchObject({
    exitCode: 0,
    said: expect.stringContaining('overriding lock (FORCE_PUSH=1)\n'),
  })
  await hold(7220)
  expect((await node.run(['push'])).stderr).toMatch(/^LOCK RECENTLY EXPIRED \(grace\) — held by other for 72/)
  await hold(7300)
  const stolen = await node.run(['push'])
  expect(stolen).toMatchObject({ exitCode: 0, said: expect.stringContaining('STALE LOCK — stealing\n') })
  await expectSynced(store, node)
  const audits = (await store.list(KEYS.audits)).keys
  const events = await Promise.all(audits.map(async (key) => (await objectJson(store, key)).reason))
  expect(events.filter((reason) => reason === 'FORCE_PUSH')).toHaveLength(1)
})

test('pushes of two nodes at once: each ends as stated, and what the pointer names is one of them, whole', async () => {
  const { store, settings } = await makeFolderStore()
  const a = makeSyncNode(settings, 'a', { rows: 20 })
  await a.run(['push'])
  const b = makeSyncNode(settings, 'b', { rows: 90 })
  for (let round = 0; round < 5; round++) {
    addRows(a.database)
    addRows(b.database, 2)
    const env = { ALLOW_SECONDARY_PUSH: '1' }
    const ends = await Promise.all([a.run(['push']), b.run(['push'], { env })])
    for (const { exitCode, stderr } of ends)
      if (exitCode !== 0) expect(stderr).toMatch(/^(?:LOCK ACTIVE|REMOTE AHEAD|ERROR: others pushed)/)
    expect(ends.map((end) => end.exitCode)).toContain(0)
    const { observations } = await objectJson(store, KEYS.pointer)
    await expectSynced(store, observations >= 90 ? b : a)
  }
})

test('two pushes of one database at once: the second is told of the first', async () => {
  const { settings } = await makeFolderStore()
  const node = makeSyncNode(settings, 'a')
  await node.run(['push'])
  const { pid } = await startChild('hold-sync.ts', [node.host.home, node.database])
  const { exitCode, stderr } = await node.run(['push'])
  expect(exitCode).toBe(1)
  expect(stderr).toMatch(/^ERROR: another push or pull of .* is running: wait for it to end/)
  process.kill(pid, 'SIGKILL')
})
