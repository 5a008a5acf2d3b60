import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import path from 'node:path'
import { expect, test, vi } from 'vitest'
import { ensureBucket, openS3Store } from '#server/adapters/object-store/s3.ts'
import { COMPILED } from '#server/launch/testing/compiled.ts'
import { lacking } from '#server/launch/testing/lacking.ts'
import { testS3Server } from '#server/launch/testing/test-s3-server.ts'
import { waitUntil } from '#server/launch/testing/wait-until.ts'
import { change, titlesOf } from '../testing/memory-file.ts'
import { KEYS, openPullRoom } from '../testing/pull-room.ts'
import { runEdge } from '../testing/run-edge.ts'
import { tableDigests } from '../testing/table-digests.ts'

const MAIN = path.join(import.meta.dirname, '../main.ts')
vi.setConfig({ testTimeout: 240_000 })
const server = await testS3Server()

if ('unavailable' in server) {
  test('pulls from a real S3 server', (context) => lacking(context, server.unavailable))
} else {
  const openS3Room = async (rows: number) => {
    const access = { ...server, bucket: `pull-${randomUUID()}` }
    await ensureBucket(access)
    const env = {
      MINIO_ENDPOINT: access.endpoint,
      MINIO_ACCESS_KEY: access.accessKey,
      MINIO_SECRET_KEY: access.secretKey,
      MINIO_BUCKET: access.bucket,
    }
    return await openPullRoom({ rows }, { store: openS3Store(access), env })
  }

  test('pulls from a real S3 server, as a process, what this node and what one of today pushed', async () => {
    const room = await openS3Room(3)
    for (const [rows, old] of [
      [30, false],
      [40, true],
    ] as const) {
      const { file } = await room.push({ rows }, { old, bytes: 12_000_000 })
      const { code, stdout, stderr } = await runEdge(room.node, ['pull'], room.env)
      expect([code, stderr]).toEqual([0, ''])
      expect(stdout).toMatch(/^RESULT: pulled /)
      expect(tableDigests(room.database)).toEqual(tableDigests(file))
    }
    expect((await runEdge(room.node, ['pull'], room.env)).stdout).toMatch(/^RESULT: already up to date\n/)
  })

  test('a corrupt object of an S3 server changes nothing', async () => {
    const room = await openS3Room(3)
    const { file, sha256 } = await room.push({ rows: 900 })
    const bytes = fs.readFileSync(file)
    bytes[70_000] = (bytes[70_000] ?? 0) ^ 1
    await room.put(KEYS.snapshot(sha256), bytes)
    const { exitCode, stderr } = await room.pullWith({})
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/does not have the digest it should/)])
    expect(titlesOf(room.database)).toHaveLength(3)
    expect(fs.readdirSync(room.node.path('memory')).filter((name) => name.startsWith('.'))).toEqual([])
  })

  test('killed and asked to stop in the middle of a download, the database is as it was', async () => {
    const room = await openS3Room(3)
    const { file } = await room.push({ rows: 30 }, { bytes: 60_000_000 })
    const fetched = () => fs.readdirSync(room.node.path('memory')).filter((name) => name.includes('-fetch-'))
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const child = spawn(process.execPath, [MAIN, 'pull'], {
        env: { ...room.env, ...COMPILED },
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      let stderr = ''
      child.stderr.on('data', (chunk) => {
        stderr += chunk
      })
      const ended = once(child, 'close')
      await waitUntil(() =>
        fetched().some((name) => fs.statSync(room.node.path('memory', name)).size > 1_000_000),
      )
      child.kill(signal)
      const [code] = await ended
      expect(titlesOf(room.database)).toHaveLength(3)
      if (signal === 'SIGTERM') {
        expect([code, stderr]).toEqual([130, 'ERROR: stopped; nothing was changed\n'])
        expect(fetched()).toEqual([])
      }
    }
    change(room.database, 'PRAGMA journal_mode = WAL')
    expect((await runEdge(room.node, ['pull'], room.env)).code).toBe(0)
    expect(tableDigests(room.database)).toEqual(tableDigests(file))
    expect(fetched()).toEqual([])
  })
}
