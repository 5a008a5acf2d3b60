import { spawn } from 'node:child_process'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import {
  addRows,
  ageLock,
  expectLockReleased,
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
  const child = spawn(process.execPath, [PROGRAM, point], {
    env: { ...process.env, ...node.env },
    cwd: node.path(),
  })
  const ended = new Promise<NodeJS.Signals | null>((resolve) =>
    child.once('close', (_, signal) => resolve(signal)),
  )
  const [printed, signal] = await Promise.all([text(child.stdout), ended, text(child.stderr)])
  return { printed, killed: signal === 'SIGKILL' }
}

/** So many that their snapshot is more than the one chunk in which small ones are read. */
const ROWS = 2_600

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
  // Where nothing was left to push, the lock of the killed one stands stale until somebody needs it.
  addRows(node.database)
  expect((await node.run(['push'])).exitCode).toBe(0)
  await expectLockReleased(store)
}

/** What changes the store, and the read that verifies what was uploaded; a first push differs in what it creates. */
const CALLS = {
  'a first push': /^call (\d+) (replace) /,
  'a push upon another': /^call (\d+) (probe|create|createFrom|read|replace|copy) /,
}

test.each(['a first push', 'a push upon another'] as const)(
  '%s that is killed after any write is put right by the next',
  { timeout: 600_000 },
  async (kind) => {
    const isFirst = kind === 'a first push'
    const { settings } = await makeFolderStore()
    const node = makeSyncNode(settings, 'a', { rows: ROWS })
    if (!isFirst) await node.run(['push'])
    addRows(node.database)
    const { printed, killed } = await pushAndDie(node, 'none')
    expect({ killed, printed }).toEqual({
      killed: false,
      printed: expect.stringContaining('"result":"pushed"'),
    })
    const calls = printed.split('\n').map((line) => CALLS[kind].exec(line))
    const points = calls.flatMap((call) => (call ? [`after:${call[1]}`] : []))
    const upload = calls.find((call) => call?.[2] === 'createFrom')
    if (upload) points.push(`within:${upload[1]}`, 'say:snapshot', 'say:mirror')
    expect(points.length).toBeGreaterThanOrEqual(isFirst ? 5 : 12)
    for (const point of points) await killAt(point, isFirst)
  },
)
