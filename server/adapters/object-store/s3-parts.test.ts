import { randomBytes, randomUUID } from 'node:crypto'
import { ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3'
import { expect, it, onTestFinished, vi } from 'vitest'
import { lacking } from '#server/launch/testing/lacking.ts'
import { testS3Server } from '#server/launch/testing/test-s3-server.ts'
import { sourceOf } from '#server/ports/byte-source.ts'
import { ObjectConflict, StorageUnavailable, sha256Hex } from '#server/ports/object-store.ts'
import { type GatewayHooks, startConditionGateway } from '../../../e2e/s3-server/condition-gateway.ts'
import { xml } from '../../../e2e/s3-server/faulty-proxy.ts'
import { ensureBucket, openS3Store } from './s3.ts'

/** How large objects are cut into parts, and what is sent where a server takes no condition on a completion. */
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })
const KIB = 1024
/** Small where their size is no matter; without it the store takes its own. */
const PART_BYTES = 100 * KIB
const server = await testS3Server()

if ('unavailable' in server) {
  it('runs against a real S3 server', (context) => lacking(context, server.unavailable))
} else {
  const access = { ...server, bucket: `parts-${randomUUID()}`, pauseMs: 5, timeoutMs: 60_000 }
  await ensureBucket(access)
  const client = new S3Client({
    endpoint: server.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: server.accessKey, secretAccessKey: server.secretKey },
    forcePathStyle: true,
  })
  const uploads = async () =>
    (await client.send(new ListMultipartUploadsCommand({ Bucket: access.bucket }))).Uploads ?? []

  /** A store behind a gateway that keeps the conditions of completions, and the requests for one object that passed. */
  async function watched(
    key: string,
    { onAnswer = (_, answer) => answer }: GatewayHooks = {},
    options: object = {},
  ) {
    const seen: { request: string; expect: string | undefined; bytes: number }[] = []
    const gateway = await startConditionGateway(server as typeof access, 'completions', {
      onAnswer: (request, answer) => {
        const { method, url = '', headers } = request
        if (url.includes(key))
          seen.push({
            request: `${method} ${url}`,
            expect: headers.expect,
            bytes: Number(headers['content-length']),
          })
        return onAnswer(request, answer)
      },
    })
    onTestFinished(gateway.close)
    const store = openS3Store({ ...access, partBytes: PART_BYTES, ...options, endpoint: gateway.endpoint })
    return { store, seen }
  }
  const body = randomBytes(220 * KIB)
  const partsOf = (seen: { request: string; bytes: number }[]) =>
    seen.filter(({ request }) => request.includes('partNumber=')).map(({ bytes }) => bytes)

  it('the parts of an object are as large as the number of parts that the server takes demands', async () => {
    const key = `parts/${randomUUID()}`
    const { store, seen } = await watched(key, {}, { mostParts: 2 })
    expect(await store.createFrom(key, sourceOf(body))).toMatchObject({
      created: true,
      size: body.length,
      sha256: sha256Hex(body),
    })
    expect(partsOf(seen)).toEqual([110 * KIB, 110 * KIB])
    expect((await store.head(key))?.size).toBe(body.length)
  })

  it.each([
    [8 * KIB * KIB - 1, []],
    [8 * KIB * KIB + 1, [8 * KIB * KIB, 1]],
  ])('by itself a store sends %i bytes in the parts %o', async (size, parts) => {
    const key = `parts/${randomUUID()}`
    const { store, seen } = await watched(key, {}, { partBytes: undefined })
    const bytes = randomBytes(size)
    const written = await store.createFrom(key, sourceOf(bytes))
    expect(written).toMatchObject({ created: true, size, sha256: sha256Hex(bytes) })
    // Two are on their way at once.
    expect(partsOf(seen).sort((a, b) => b - a)).toEqual(parts)
    expect((await store.head(key))?.etag).toBe(written.etag)
  })

  it('a source of unknown size that needs more parts is refused before they are sent, and leaves nothing', async () => {
    const key = `parts/${randomUUID()}`
    const { store, seen } = await watched(key, {}, { mostParts: 2 })
    const { open } = sourceOf(body)
    await expect(store.createFrom(key, { open })).rejects.toMatchObject({
      name: 'StorageUnavailable',
      refused: true,
      message: expect.stringContaining('its size was not known'),
    })
    expect(partsOf(seen).length).toBeLessThanOrEqual(2)
    expect(await store.head(key)).toBeNull()
    expect(await uploads()).toEqual([])
  })

  it('no request asks the server to say that it may go on: some never do', async () => {
    const key = `parts/${randomUUID()}`
    const { store, seen } = await watched(key)
    await store.createFrom(key, sourceOf(body))
    await store.create(`${key}-plain`, body)
    expect(partsOf(seen)).toHaveLength(3)
    expect(seen.filter(({ expect }) => expect !== undefined)).toEqual([])
  })

  const refusing = (status: number, code: string): GatewayHooks => ({
    onAnswer: ({ method, url = '' }, answer) =>
      method === 'POST' && url.includes('uploadId=')
        ? { status, headers: [], body: Buffer.from(xml(code)) }
        : answer,
  })

  it.each([
    [501, 'NotImplemented'],
    [400, 'InvalidRequest'],
  ])(
    'a server that answers a condition on a completion by %i gets it in one request',
    async (status, code) => {
      const key = `parts/${randomUUID()}`
      const { store, seen } = await watched(key, refusing(status, code))
      const { etag } = await store.createFrom(key, sourceOf(body))
      await expect(store.createFrom(key, sourceOf(randomBytes(120 * KIB)))).rejects.toBeInstanceOf(
        ObjectConflict,
      )
      await store.replaceFrom(key, sourceOf(randomBytes(120 * KIB)), etag)
      expect(partsOf(seen)).toEqual([])
      expect(await uploads()).toEqual([])
    },
  )

  it('a server that lacks the right to complete says so, and is not taken for one without conditions', async () => {
    const key = `parts/${randomUUID()}`
    const { store, seen } = await watched(key, refusing(403, 'AccessDenied'))
    await expect(store.createFrom(key, sourceOf(body))).rejects.toBeInstanceOf(StorageUnavailable)
    expect(seen).toEqual([])
  })
}
