import fs from 'node:fs'
import { expect, test } from 'vitest'
import { StorageUnavailable } from '#server/ports/object-store.ts'
import { pushFrom } from '../commands/push.command.ts'
import { keepPendingPush, readPendingPush } from '../ledger/pending-push.ts'
import { readSyncState, writeSyncState } from '../ledger/sync-state.ts'
import { openSync } from '../sync/node-context.ts'
import {
  addRows,
  CID,
  expectLockReleased,
  expectNoTemporaries,
  expectSynced,
  KEYS,
  makeFolderStore,
  makeSyncNode,
  objectJson,
  type SyncNode,
} from '../testing/sync-kit.ts'

test('asked to stop while it uploads, a push ends with 130, releases the lock and leaves nothing', async () => {
  const { store, settings } = await makeFolderStore()
  const node = makeSyncNode(settings, 'a', { rows: 5_000 })
  const stopping = new AbortController()
  const onLine = (line: string) => line.startsWith('upload: ') && stopping.abort()
  const { exitCode, stdout } = await node.run(['push'], { stopped: stopping.signal, onLine })
  expect({ exitCode, stdout }).toEqual({
    exitCode: 130,
    stdout: expect.stringMatching(/^STOPPED: .*membridge push/),
  })
  await expectLockReleased(store)
  expectNoTemporaries(node)
  expect((await store.list(KEYS.snapshots)).keys).toEqual([])
  expect(await store.get(KEYS.pointer)).toBeNull()
  expect((await node.run(['push'])).exitCode).toBe(0)
  await expectSynced(store, node)
})

type Call = { name: string; key: unknown; perform: () => Promise<unknown> }

/** The node as a push sees it, with a store whose calls go through `intercept`; `run` gives what the command does. */
async function pushThrough(node: SyncNode, intercept: (call: Call) => Promise<unknown>) {
  const stopping = new AbortController()
  const said: string[] = []
  const asked = { host: { ...node.host, env: node.env }, given: {}, stopped: stopping.signal }
  const context = await openSync({ ...asked, say: (line) => said.push(line) })
  const store = new Proxy(context.store, {
    get(target, name) {
      const method = Reflect.get(target, name)
      if (typeof method !== 'function') return method
      return (...args: unknown[]) =>
        intercept({ name: String(name), key: args[0], perform: async () => await method.apply(target, args) })
    },
  })
  return { stopping, said, run: () => pushFrom({ ...context, store }) }
}

/** A push whose pointer write, and every read after it, goes unanswered; `reaches` is whether the write was done. */
async function pushUnanswered(settings: Record<string, string>, reaches: boolean) {
  const node = makeSyncNode(settings)
  let isSilent = false
  const push = await pushThrough(node, async ({ name, key, perform }) => {
    const commits = name === 'replace' && key === KEYS.pointer
    if (commits && reaches && !isSilent) await perform()
    isSilent ||= commits
    if (isSilent && key === KEYS.pointer) throw new StorageUnavailable('no answer')
    return await perform()
  })
  await expect(push.run()).rejects.toMatchObject({
    exitCode: 1,
    message: expect.stringMatching(
      /did not answer whether this push was committed: run membridge push again/,
    ),
  })
  return node
}

test.each(['replace', 'copy'])(
  'asked to stop in its commit or its mirror (%s), a push says that it was committed, remembers it and releases the lock',
  async (method) => {
    const { store, settings } = await makeFolderStore()
    const node = makeSyncNode(settings)
    const push = await pushThrough(node, async ({ name, key, perform }) => {
      const meets = name === method && (name === 'copy' || key === KEYS.pointer)
      if (meets) push.stopping.abort()
      // A copy within the store can take as long as it likes.
      return meets && name === 'copy' ? await new Promise(() => {}) : await perform()
    })
    await expect(push.run()).rejects.toThrow(
      /^COMMITTED, mirror incomplete — run push again \(membridge push\): the push was asked to stop$/,
    )
    await expectLockReleased(store)
    expectNoTemporaries(node)
    const { sha256 } = await objectJson(store, KEYS.pointer)
    expect(await readSyncState(node.host, CID)).toMatchObject({ value: { last_synced_sha: sha256 } })
    expect((await node.run(['push'])).exitCode).toBe(0)
    await expectSynced(store, node)
  },
)

test('a push that cannot be remembered is reported as it ended, with a warning', async () => {
  const { store, settings } = await makeFolderStore()
  const node = makeSyncNode(settings)
  const blockState = () => {
    fs.rmSync(node.path('.membridge/state'), { recursive: true, force: true })
    node.write('.membridge/state', 'no folder')
  }
  const onLine = (line: string) => line.startsWith('mirror: ') && blockState()
  const { exitCode, stdout, said } = await node.run(['push'], { onLine })
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringMatching(/^RESULT: pushed/) })
  expect(said).toContain('WARNING: what was pushed could not be remembered: ')
  expectNoTemporaries(node)
  await expectSynced(store, node)
})

test.each([
  [true, 'was committed', 'RESULT: remote already up to date'],
  [false, 'cannot be told from the remote copy', 'RESULT: pushed'],
])(
  'a push that was left open (done: %s) is resolved by the next, which says that it %s',
  { timeout: 60_000 },
  async (reaches, words, result) => {
    const { store, settings } = await makeFolderStore()
    const node = await pushUnanswered(settings, reaches)
    expect(await readPendingPush(node.host, CID)).toMatchObject({ state: 'read' })
    const { exitCode, said, stdout } = await node.run(['push'])
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringContaining(result) })
    expect(said).toMatch(/^the push of \d{4}-.*, whose outcome was open, /)
    expect(said).toContain(words)
    await expectSynced(store, node)
    expect(await readPendingPush(node.host, CID)).toEqual({ state: 'absent' })
  },
)

test('of a push that others came upon the chain says that it was not committed', async () => {
  const { store, settings } = await makeFolderStore()
  const node = makeSyncNode(settings)
  await node.run(['push'])
  const { push_id, sha256, content_sha256 } = await objectJson(store, KEYS.pointer)
  const { etag = null } = (await store.get(KEYS.pointer)) ?? {}
  const pending = {
    push_id: 'never-came',
    base_push_id: push_id,
    base_etag: etag,
    sha256,
    content_sha256,
    at: 1,
  }
  await keepPendingPush(node.host, CID, pending)
  expect((await node.run(['push'])).said).toContain('cannot be told from the remote copy')
  await keepPendingPush(node.host, CID, { ...pending, base_etag: 'of-before' })
  expect((await node.run(['push'])).said).toContain('was not committed')
  addRows(node.database)
  expect((await node.run(['push'])).said).not.toContain('outcome was open')
})

test('an open push that others pushed upon leaves what the node has learnt since', async () => {
  const { store, settings } = await makeFolderStore()
  const node = makeSyncNode(settings)
  await node.run(['push'])
  const first = await objectJson(store, KEYS.pointer)
  addRows(node.database)
  await node.run(['push'])
  const second = await objectJson(store, KEYS.pointer)
  const newer = { last_synced_sha: second.sha256, content_sha256: second.content_sha256, term: 7, at: 2 }
  await writeSyncState(node.host, CID, { ...newer, holder: 'b' })
  const { push_id, sha256, content_sha256 } = first
  await keepPendingPush(node.host, CID, {
    ...{ push_id, sha256, content_sha256, base_push_id: null, base_etag: null, at: 1 },
  })
  addRows(node.database)
  const { said } = await node.run(['push'], { env: { LEADERSHIP_ENABLED: '0' } })
  expect(said).toContain('was committed')
  expect(said).not.toContain('another node has pushed since')
  expect(await readSyncState(node.host, CID)).toMatchObject({
    value: { term: 7, holder: 'b' },
  })
})
