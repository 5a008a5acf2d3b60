import { createHash, randomUUID } from 'node:crypto'
import { statSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { lacking } from '#server/launch/testing/lacking.ts'
import { testS3Server } from '#server/launch/testing/test-s3-server.ts'
import type { ByteSource } from '#server/ports/byte-source.ts'
import type { ObjectStore } from '#server/ports/object-store.ts'
import { startConditionGateway } from '../../../e2e/s3-server/condition-gateway.ts'
import { startSlowLine } from '../../../e2e/s3-server/slow-line.ts'
import { openDirectoryStore } from './directory.ts'
import { ensureBucket, openS3Store } from './s3.ts'

/**
 * 64 MiB go through without being kept in memory: what was taken from the source and has not left, or has arrived and was not read, is
 * counted at every chunk. That counts the buffers of the system as well, so the bound is generous; whoever does not wait for
 * the slower side holds nearly all.
 */
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })
const MIB = 1024 * 1024
const TOTAL = 64 * MIB
/** Three parts under way, one being filled, and what the chunk at hand holds. */
const BUFFERED_IN_PARTS = 33 * MIB
/** Nothing but the buffers of sockets. */
const BUFFERED_IN_SOCKETS = 24 * MIB
const server = await testS3Server()

/** 64 MiB in chunks of 1 MiB, which notes how many bytes were given and not yet counted by `left`. */
function countedSource(left: () => number) {
  const most = { buffered: 0 }
  const source: ByteSource = {
    size: TOTAL,
    open: async function* () {
      for (let given = 0; given < TOTAL; given += MIB) {
        yield Buffer.alloc(MIB, given / MIB)
        most.buffered = Math.max(most.buffered, given + MIB - left())
      }
    },
  }
  return { source, most }
}

const digest = (() => {
  const hash = createHash('sha256')
  for (let n = 0; n < TOTAL / MIB; n++) hash.update(Buffer.alloc(MIB, n))
  return hash.digest('hex')
})()

async function mostBufferedWhileReading(
  store: ObjectStore,
  key: string,
  arrived: () => number,
): Promise<number> {
  const before = arrived()
  const object = await store.read(key, digest)
  let [read, most] = [0, 0]
  for await (const chunk of object?.stream ?? []) {
    read += (chunk as Buffer).length
    for (let i = 0; i < 5; i++) await new Promise(setImmediate)
    most = Math.max(most, arrived() - before - read)
  }
  expect(read).toBe(TOTAL)
  return most
}

it('a directory holds one chunk of what is written', async () => {
  const root = await mkdtemp(join(tmpdir(), 'bloom-memory-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  const store = await openDirectoryStore(root)
  const staging = join(root, '.store/staging')
  let names: string[] = []
  const { source, most } = countedSource(() => (names[0] ? statSync(join(staging, names[0])).size : 0))
  const looking: ByteSource = {
    ...source,
    open: async function* () {
      for await (const chunk of source.open()) {
        names = await readdir(staging)
        yield chunk
      }
    },
  }
  expect(await store.createFrom('large', looking)).toMatchObject({ size: TOTAL, sha256: digest })
  // The last chunk waits until the digest is known.
  expect(most.buffered).toBeLessThanOrEqual(3 * MIB)
})

describe('S3', () => {
  if ('unavailable' in server) return it('is there', (context) => lacking(context, server.unavailable))
  const access = { ...server, bucket: `memory-${randomUUID()}`, timeoutMs: 120_000 }

  it.each([
    ['in parts', 'completions' as const, BUFFERED_IN_PARTS],
    ['in one request', null, BUFFERED_IN_SOCKETS],
  ])('holds no more than a few parts of 64 MiB %s, and of what is read', async (_, keeping, bound) => {
    await ensureBucket(access)
    const gateway = keeping ? await startConditionGateway(server, keeping) : null
    const line = await startSlowLine(gateway?.endpoint ?? server.endpoint)
    onTestFinished(async () => {
      await line.close()
      await gateway?.close()
    })
    const store = openS3Store({ ...access, endpoint: line.endpoint })
    const key = `large/${randomUUID()}`
    const { source, most } = countedSource(() => line.carried.up)
    // With its digest known nothing has to be read twice.
    const written = await store.createFrom(key, { ...source, sha256: digest })
    expect(written).toMatchObject({ created: true, size: TOTAL, sha256: digest })
    expect(line.carried.up).toBeGreaterThanOrEqual(TOTAL)
    expect(most.buffered).toBeLessThanOrEqual(bound)
    expect(await mostBufferedWhileReading(store, key, () => line.carried.down)).toBeLessThanOrEqual(
      BUFFERED_IN_SOCKETS,
    )
  })
})
