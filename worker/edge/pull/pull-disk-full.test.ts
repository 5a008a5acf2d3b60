import fs from 'node:fs'
import { Readable } from 'node:stream'
import { expect, type TestContext, test } from 'vitest'
import { MACHINE_CLOCK } from '#server/leadership/run-protocol.ts'
import { canonicalIdOf } from '../identity.ts'
import { makeMemoryFile } from '../testing/memory-file.ts'
import { openPullRoom, type PullRoom } from '../testing/pull-room.ts'
import { fill, mountSmallDisk } from '../testing/small-disk.ts'
import { tableDigests } from '../testing/table-digests.ts'
import { fetchCopy } from './fetch-copy.ts'
import type { PullStep } from './pull.ts'
import { readRemoteCopy } from './remote-copy.ts'

const DISK_MIB = 4

/** A node whose database and backups lie on a small disk. */
async function openSmallDisk(context: TestContext, rows: number): Promise<PullRoom> {
  const room = await openPullRoom(null)
  const disk = room.node.path('memory')
  mountSmallDisk(context, disk, DISK_MIB)
  fs.mkdirSync(`${disk}/home`)
  fs.symlinkSync(`${disk}/home`, room.node.path('.claude-mem'))
  makeMemoryFile(room.database, { rows })
  return room
}

async function* fillingAfterFirst(chunks: AsyncIterable<Uint8Array>, folder: string) {
  let isFull = false
  for await (const chunk of chunks) {
    yield chunk
    if (!isFull) fill(folder)
    isFull = true
  }
}
const leftIn = ({ node }: PullRoom) =>
  fs.readdirSync(node.path('memory')).filter((name) => !/^(claude-mem\.db.*|ballast|home)$/.test(name))

test('a copy that would not fit is refused before a byte of it is written', async (context) => {
  const room = await openSmallDisk(context, 3)
  await room.push({ rows: 3 }, { bytes: 5_000_000 })
  const before = tableDigests(room.database)
  const { exitCode, stderr } = await room.pull()
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringMatching(/^ERROR: not enough space in .*memory: \d+ bytes are needed/),
  ])
  expect(tableDigests(room.database)).toEqual(before)
  expect(leftIn(room)).toEqual([])
})

test('a disk that becomes full in the middle of a download is told, and nothing is left on it', async (context) => {
  const room = await openSmallDisk(context, 3)
  await room.push({ rows: 3 }, { bytes: 1_000_000 })
  const folder = room.node.path('memory')
  const canonicalId = canonicalIdOf('mem')
  const remote = await readRemoteCopy(room.store, canonicalId)
  if (remote === null) throw new Error('nothing was pushed')
  const read = async (key: string, sha256: string) => {
    const object = await room.store.read(key, sha256)
    return object && { ...object, stream: Readable.from(fillingAfterFirst(object.stream, folder)) }
  }
  const store = { get: room.store.get.bind(room.store), read }
  const stopped = new AbortController().signal
  const parts = {
    store,
    canonicalId,
    folder,
    maxBytes: 2 ** 31,
    say: () => {},
    stopped,
    clock: MACHINE_CLOCK,
  }
  await expect(fetchCopy(remote, parts)).rejects.toThrow(/ENOSPC/)
  expect(leftIn(room)).toEqual([])
})

const STEPS: PullStep[] = [
  'digest',
  'fetch',
  'compare',
  'stop-worker',
  'backup',
  'leave-wal',
  'flush',
  'rename',
  'flush-folder',
  'verify',
]

test.for(STEPS)(
  'a disk that is full from %s on leaves the old or the new database',
  async (full, context) => {
    const room = await openSmallDisk(context, 300)
    const { file } = await room.push({ rows: 400 })
    const before = tableDigests(room.database)
    let free = () => {}
    const { exitCode, stderr } = await room.pullWith({
      onStep: (step) => {
        if (step === full) free = fill(room.node.path('memory'))
      },
    })
    const stands = tableDigests(room.database)
    expect(stands).toEqual(exitCode === 0 ? tableDigests(file) : before)
    expect(stderr).toMatch(exitCode === 0 ? /^$/ : /^ERROR: (not enough space|the disk is full)/)
    expect(leftIn(room)).toEqual([])
    free()
    expect((await room.pull()).exitCode).toBe(0)
    expect(tableDigests(room.database)).toEqual(tableDigests(file))
  },
)
