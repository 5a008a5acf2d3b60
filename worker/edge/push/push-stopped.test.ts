import { expect, test } from 'vitest'
import { StorageUnavailable } from '#server/ports/object-store.ts'
import { pushFrom } from '../commands/push.command.ts'
import { keepPendingPush, readPendingPush } from '../ledger/pending-push.ts'
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

/** A push whose pointer write, and every read after it, goes unanswered; `reaches` is whether the write was done. */
async function pushUnanswered(settings: Record<string, string>, reaches: boolean) {
  const node = makeSyncNode(settings)
  const said: string[] = []
  const asked = { host: { ...node.host, env: node.env }, given: {}, stopped: new AbortController().signal }
  const context = await openSync({ ...asked, say: (line) => said.push(line) })
  const real = context.store
  let isSilent = false
  const store = new Proxy(real, {
    get(target, name) {
      const method = Reflect.get(target, name)
      if (typeof method !== 'function') return method
      return async (...args: unknown[]) => {
        const commits = name === 'replace' && args[0] === KEYS.pointer
        if (commits && reaches && !isSilent) await method.apply(target, args)
        isSilent ||= commits
        if (isSilent && args[0] === KEYS.pointer) throw new StorageUnavailable('no answer')
        return await method.apply(target, args)
      }
    },
  })
  await expect(pushFrom({ ...context, store })).rejects.toMatchObject({
    exitCode: 1,
    message: expect.stringMatching(
      /did not answer whether this push was committed: run membridge push again/,
    ),
  })
  return node
}

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
