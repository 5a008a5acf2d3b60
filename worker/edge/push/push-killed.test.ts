import { spawn } from 'node:child_process'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import {
  addRows,
  ageLock,
  expectSynced,
  KEYS,
  makeFolderStore,
  makeSyncNode,
  objectJson,
  type SyncNode,
} from '../testing/sync-kit.ts'

const PROGRAM = path.join(import.meta.dirname, '../testing/push-and-die.ts')

/** A push in a process of its own that kills itself at the point; what it printed, and whether the kill met it. */
async function pushAndDie(node: SyncNode, point: string): Promise<{ printed: string; killed: boolean }> {
  const child = spawn(process.execPath, [PROGRAM, point], { env: node.env, cwd: node.path() })
  const ended = new Promise<NodeJS.Signals | null>((resolve) =>
    child.once('close', (_, signal) => resolve(signal)),
  )
  const [printed, signal] = await Promise.all([text(child.stdout), ended, text(child.stderr)])
  return { printed, killed: signal === 'SIGKILL' }
}

const ROWS = 5_000

/** A node whose push is killed at the point, either its first or one upon an earlier push; its next push ends well. */
async function killAt(point: string, isFirst: boolean): Promise<void> {
  const { store, settings } = await makeFolderStore()
  const node = makeSyncNode(settings, 'a', { rows: ROWS })
  if (!isFirst) expect((await node.run(['push'])).exitCode).toBe(0)
  addRows(node.database)
  const before = isFirst ? null : await objectJson(store, KEYS.pointer)
  const { killed, printed } = await pushAndDie(node, point)
  expect({ point, killed, printed: killed ? '' : printed }).toEqual({ point, killed: true, printed: '' })
  const pointer = await store.get(KEYS.pointer).then((object) => object && objectJson(store, KEYS.pointer))
  if (pointer === null) expect(before).toBeNull()
  else if (pointer.sha256 !== before?.sha256) {
    expect(pointer).toMatchObject({ observations: ROWS + 1, previous_sha256: before?.sha256 ?? null })
    expect(await store.head(KEYS.snapshot(pointer.sha256))).not.toBeNull()
  }
  // The lock of a killed push is passed over only when it is stale.
  await ageLock(store, 7300)
  const next = await node.run(['push'])
  expect({ point, ...next }).toMatchObject({ point, exitCode: 0, stderr: '' })
  await expectSynced(store, node)
}

const callsOf = (printed: string): string[] => printed.split('\n').filter((line) => line.startsWith('call '))

test.each([
  ['a first push', true],
  ['a push upon another', false],
])(
  '%s that is killed after any call to the store is put right by the next',
  { timeout: 300_000 },
  async (_, isFirst) => {
    const { settings } = await makeFolderStore()
    const node = makeSyncNode(settings, 'a', { rows: ROWS })
    if (!isFirst) await node.run(['push'])
    addRows(node.database)
    const { printed, killed } = await pushAndDie(node, 'none')
    const calls = callsOf(printed)
    expect({ killed, printed }).toEqual({
      killed: false,
      printed: expect.stringContaining('"result":"pushed"'),
    })
    for (const call of [
      'createFrom',
      'copy',
      `replace ${KEYS.pointer}`,
      `replace ${KEYS.lock}`,
      `replace ${KEYS.mirrorSha}`,
    ])
      expect(printed).toContain(call)
    for (let n = 1; n <= calls.length; n++) await killAt(`after:${n}`, isFirst)
    const upload = calls.findIndex((call) => call.includes(' createFrom ')) + 1
    for (const point of [`within:${upload}`, 'say:snapshot', 'say:mirror']) await killAt(point, isFirst)
  },
)
