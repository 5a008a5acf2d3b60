import { randomUUID } from 'node:crypto'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { ensureBucket, openS3Store } from '#server/adapters/object-store/s3.ts'
import { lacking } from '#server/launch/testing/lacking.ts'
import { testS3Server } from '#server/launch/testing/test-s3-server.ts'
import { startConditionGateway } from '../../../e2e/s3-server/condition-gateway.ts'
import { change } from '../testing/memory-file.ts'
import { runEdge } from '../testing/run-edge.ts'
import { expectLockReleased, expectSynced, KEYS, makeSyncNode, objectJson } from '../testing/sync-kit.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 300_000 })
const server = await testS3Server()

describe('S3', () => {
  if ('unavailable' in server) return test('is there', (context) => lacking(context, server.unavailable))

  const openBucket = async () => {
    const access = { ...server, bucket: `edge-${randomUUID()}` }
    await ensureBucket(access)
    const settings = {
      MINIO_ENDPOINT: server.endpoint,
      MINIO_ACCESS_KEY: server.accessKey,
      MINIO_SECRET_KEY: server.secretKey,
      MINIO_BUCKET: access.bucket,
    }
    return { store: openS3Store(access), settings }
  }

  test('processes push to S3: the first, an unchanged one, one of several parts, and a secondary', async () => {
    const { store, settings } = await openBucket()
    const node = makeSyncNode(settings, 'a', { rows: 2_000 })
    const first = await runEdge(node, ['push'], node.env)
    expect(first).toMatchObject({ code: 0, stdout: expect.stringMatching(/^RESULT: pushed\n/) })
    await expectSynced(store, node)
    await expectLockReleased(store)
    expect(await runEdge(node, ['push'], node.env)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^RESULT: remote already up to date\n/),
    })
    change(node.database, 'CREATE TABLE big (x BLOB); INSERT INTO big VALUES (randomblob(20000000))')
    expect(await runEdge(node, ['push'], node.env)).toMatchObject({ code: 0 })
    expect((await objectJson(store, KEYS.pointer)).db_size).toBeGreaterThan(8 * 1024 * 1024)
    await expectSynced(store, node)
    const other = makeSyncNode(settings, 'b', { rows: 5 })
    expect(await runEdge(other, ['push'], other.env)).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/^SECONDARY: push blocked by default\./),
    })
    expect(await runEdge(other, ['leadership'], other.env)).toMatchObject({ code: 0 })
  })

  test('a store that ignores conditions is refused before anything is written', async () => {
    const { store, settings } = await openBucket()
    const gateway = await startConditionGateway(server, 'none')
    onTestFinished(() => gateway.close())
    const node = makeSyncNode({ ...settings, MINIO_ENDPOINT: gateway.endpoint })
    for (const args of [['push'], ['leadership']]) {
      const { exitCode, stderr } = await node.run(args)
      expect(exitCode).toBe(1)
      expect(stderr).toMatch(
        /^ERROR: The object store does not keep conditional writes: .*create-only refuses an existing key/,
      )
    }
    expect((await store.list('')).keys).toEqual([])
  })

  test('wrong keys are told without them', async () => {
    const { settings } = await openBucket()
    const node = makeSyncNode({ ...settings, MINIO_SECRET_KEY: 'canary-wrong-secret' })
    const { exitCode, stderr, said } = await node.run(['push'])
    expect(exitCode).toBe(1)
    expect(stderr).toMatch(
      /^ERROR: The object store refused the check of its conditional writes: .*membridge doctor/,
    )
    expect(stderr + said).not.toContain('canary')
  })
})
