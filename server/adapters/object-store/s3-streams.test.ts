import { randomBytes, randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { lacking } from '#server/launch/testing/lacking.ts'
import { objectStoreSuite } from '#server/launch/testing/object-store.suite.ts'
import { objectStreamsSuite, PART_BYTES } from '#server/launch/testing/object-streams.suite.ts'
import { testS3Server } from '#server/launch/testing/test-s3-server.ts'
import { sourceOf } from '#server/ports/byte-source.ts'
import { ObjectConflict, StorageUnavailable, sha256Hex } from '#server/ports/object-store.ts'
import {
  type GatewayHooks,
  type Keeping,
  startConditionGateway,
} from '../../../e2e/s3-server/condition-gateway.ts'
import { type Fault, type Plan, startFaultyProxy } from '../../../e2e/s3-server/faulty-proxy.ts'
import { ensureBucket, openS3Store } from './s3.ts'

/** Streams on S3: on a server that ignores the condition of a completion, and through a gateway that keeps it. */
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })
const server = await testS3Server()

if ('unavailable' in server) {
  it('runs against a real S3 server', (context) => lacking(context, server.unavailable))
} else {
  const access = {
    ...server,
    bucket: `streams-${randomUUID()}`,
    pauseMs: 5,
    timeoutMs: 60_000,
    partBytes: PART_BYTES,
  }
  const closing: (() => Promise<void>)[] = []
  await ensureBucket(access)

  const client = new S3Client({
    endpoint: server.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: server.accessKey, secretAccessKey: server.secretKey },
    forcePathStyle: true,
  })
  const uploads = async (prefix = '') => {
    const command = new ListMultipartUploadsCommand({ Bucket: access.bucket, Prefix: prefix })
    return ((await client.send(command)).Uploads ?? []).map((one) => one.Key ?? '')
  }
  const through = async (keeping: Keeping, hooks?: GatewayHooks) => {
    const gateway = await startConditionGateway(server, keeping, hooks)
    closing.push(gateway.close)
    return { ...access, endpoint: gateway.endpoint }
  }
  const withFaults = async (plan: Plan, options = {}, keeping: Keeping | null = 'completions') => {
    const target = keeping ? (await through(keeping)).endpoint : server.endpoint
    const proxy = await startFaultyProxy(target, plan)
    closing.push(proxy.close)
    return { proxy, store: openS3Store({ ...access, ...options, endpoint: proxy.endpoint }) }
  }
  const clean = openS3Store(access)
  const none = async () => undefined

  objectStreamsSuite('S3, large objects in one request', async () => ({
    store: openS3Store(access),
    leftOvers: uploads,
    close: none,
  }))

  describe('a server that keeps the condition of a completion', () => {
    let gateway: Awaited<ReturnType<typeof startConditionGateway>>
    const open = async () => {
      gateway ??= await startConditionGateway(server, 'completions')
      return { ...access, endpoint: gateway.endpoint }
    }
    afterAll(() => gateway?.close())
    objectStreamsSuite('S3, large objects in parts', async () => ({
      store: openS3Store(await open()),
      leftOvers: uploads,
      close: none,
    }))
    objectStoreSuite('S3, through a gateway', async () => ({ store: openS3Store(await open()), close: none }))
  })

  describe('on a spoilt way', () => {
    afterEach(async () => {
      for (const close of closing.splice(0).reverse()) await close()
    })
    const body = randomBytes(PART_BYTES + 77)
    const sha256 = sha256Hex(body)
    const source = sourceOf(body)

    /** Spoils the first requests of one kind, one by one; what the probe of the completion sends passes. */
    const first = (kind: RegExp, ...faults: Fault[]): Plan => {
      const left = [...faults]
      return ({ method, url }) =>
        kind.test(`${method} ${url}`) && !url.includes('/probe/') ? (left.shift() ?? null) : null
    }
    const BEGIN = /^POST .*\?uploads/
    const PART = /^PUT .*partNumber=/
    const COMPLETE = /^POST .*uploadId=/
    const WHOLE = /^PUT (?!.*partNumber=)/
    const ALL: Fault[] = [
      '503',
      '409',
      'reset',
      'lost-answer',
      'error-in-200',
      'hollow-200',
      'truncated-answer',
      'truncated-upload',
      'not-found-page',
    ]

    const cases = [
      ...ALL.flatMap((fault) => [BEGIN, PART, COMPLETE].map((kind) => [fault, kind, 'completions'] as const)),
      ...ALL.map((fault) => [fault, WHOLE, null] as const),
      ['412-after-success', COMPLETE, 'completions'] as const,
      ['412-after-success', WHOLE, null] as const,
      ['hang', PART, 'completions'] as const,
      ['hang', COMPLETE, 'completions'] as const,
      ['hang', WHOLE, null] as const,
    ]
    it.each(cases)('%s at %s ends as one write that stands', async (fault, kind, keeping) => {
      const { store, proxy } = await withFaults(first(kind, fault), { transferMs: 2000 }, keeping)
      const key = `spoilt/${randomUUID()}`
      const written = await store.createFrom(key, source)
      expect(proxy.count.spoilt).toBe(1)
      expect(written).toMatchObject({ created: true, sha256, size: body.length })
      expect(await clean.head(key)).toMatchObject({ etag: written.etag, size: body.length })
      const next = await store.replaceFrom(key, sourceOf(Buffer.from('next')), written.etag)
      await expect(store.replaceFrom(key, source, written.etag)).rejects.toBeInstanceOf(ObjectConflict)
      expect((await clean.head(key))?.etag).toBe(next.etag)
      // Of an upload whose number never arrived only the sweep of the next day knows.
      const nameless = kind === BEGIN && ['lost-answer', 'truncated-answer'].includes(fault)
      expect(await uploads(key)).toEqual(nameless ? [key] : [])
    })

    it.each([['completions' as const], [null]])(
      'an answer that is lost for ever is read back, with conditions kept by %s',
      async (keeping) => {
        const kind = keeping ? COMPLETE : WHOLE
        const plan: Plan = ({ method, url }) =>
          kind.test(`${method} ${url}`) && !url.includes('/probe/') ? 'lost-answer' : null
        const { store } = await withFaults(plan, { attempts: 2 }, keeping)
        const key = `spoilt/${randomUUID()}`
        expect(await store.createFrom(key, source)).toMatchObject({ created: true, sha256 })
        expect(await store.replaceFrom(key, source, (await clean.head(key))?.etag ?? '')).toMatchObject({
          sha256,
        })
        expect(await uploads(key)).toEqual([])
      },
    )

    it.each([BEGIN, PART, COMPLETE])(
      'a server that never takes %s leaves nothing, and says so',
      async (kind) => {
        const plan: Plan = ({ method, url }) =>
          kind.test(`${method} ${url}`) && !url.includes('/probe/') ? '503' : null
        const { store } = await withFaults(plan, { attempts: 2 })
        const key = `spoilt/${randomUUID()}`
        await expect(store.createFrom(key, source)).rejects.toBeInstanceOf(StorageUnavailable)
        expect(await clean.head(key)).toBeNull()
        expect(await uploads(key)).toEqual([])
      },
    )

    it('tells a lost race from its own lost answer', async () => {
      const key = `spoilt/${randomUUID()}`
      const { etag } = await clean.replace(key, Buffer.from('start'), null)
      const { store } = await withFaults(first(COMPLETE, '503'))
      await clean.replace(key, Buffer.from('theirs'), etag)
      await expect(store.replaceFrom(key, source, etag)).rejects.toBeInstanceOf(ObjectConflict)
      expect((await clean.get(key))?.bytes).toEqual(new Uint8Array(Buffer.from('theirs')))
      expect(await uploads(key)).toEqual([])
    })

    it.each(['truncated-answer', 'reset', '503', 'lost-answer'] as const)(
      '%s on a streamed read is never the end of the object',
      async (fault) => {
        const key = `spoilt/${randomUUID()}`
        await clean.create(key, body)
        const { store } = await withFaults((request) => (request.method === 'GET' ? fault : null), {
          attempts: 2,
        })
        const read = async () => await buffer((await store.read(key, sha256))?.stream ?? neverRead())
        await expect(read()).rejects.toBeInstanceOf(StorageUnavailable)
        const { store: recovering } = await withFaults(first(/^GET/, 'reset', '503'))
        expect(sha256Hex(await buffer((await recovering.read(key, sha256))?.stream ?? neverRead()))).toBe(
          sha256,
        )
      },
    )

    it('a server that ignores every condition fails the probe, and leaves nothing', async () => {
      const report = await openS3Store(await through('none')).probe()
      expect(report.ok).toBe(false)
      expect(report.checks.filter((check) => !check.ok).map((check) => check.name)).toEqual([
        'create-only refuses an existing key',
        'replace refuses a stale etag',
        'replace refuses a missing key',
        'a race of twenty has one winner',
        'a large streamed write is conditional to its end',
      ])
      expect((await clean.list('probe/')).keys).toEqual([])
      expect(await uploads('probe/')).toEqual([])
    })

    it('an answer without a date is no answer: no other clock stands in', async () => {
      const key = `dated/${randomUUID()}`
      await clean.create(key, body)
      const dateless = await through('completions', {
        onAnswer: (_, answer) => ({ ...answer, headers: withoutDate(answer.headers) }),
      })
      const store = openS3Store({ ...dateless, attempts: 2 })
      await expect(store.observe(key)).rejects.toBeInstanceOf(StorageUnavailable)
      await expect(store.observe(`${key}-absent`)).rejects.toBeInstanceOf(StorageUnavailable)
      expect(await store.get(key)).not.toBeNull()
    })

    it('takes the time from the answer, whatever the clock of this machine says', async () => {
      const key = `dated/${randomUUID()}`
      await clean.create(key, Buffer.from('x'))
      const late = await through('completions', {
        onAnswer: (_, answer) => ({
          ...answer,
          headers: [...withoutDate(answer.headers), 'Date', 'Tue, 01 Jan 2047 10:00:00 GMT'],
        }),
      })
      const { storeTime, object } = await openS3Store(late).observe(key)
      expect(storeTime.toISOString()).toBe('2047-01-01T10:00:00.000Z')
      expect(object?.modified).toEqual((await clean.head(key))?.modified)
      expect((await openS3Store(late).observe(`${key}-absent`)).storeTime).toEqual(storeTime)
    })

    it('clears away what a killed upload left in the same folder a day ago, and nothing younger', async () => {
      const folder = `left/${randomUUID()}`
      const { store: dying } = await withFaults(
        ({ method, url }) =>
          (PART.test(`${method} ${url}`) || method === 'DELETE') && !url.includes('/probe/') ? '503' : null,
        { attempts: 1 },
      )
      for (const name of ['old', 'young'])
        await expect(dying.createFrom(`${folder}/${name}`, source)).rejects.toBeInstanceOf(StorageUnavailable)
      expect(await uploads(folder)).toEqual([`${folder}/old`, `${folder}/young`])
      const aged = await through('completions', {
        onAnswer: (_, answer) => ({ ...answer, ...agedBody(answer.body, `${folder}/old`) }),
      })
      await openS3Store(aged).createFrom(`${folder}/new`, source)
      expect(await uploads(folder)).toEqual([`${folder}/young`])
    })
  })
}

const neverRead = (): never => {
  throw new Error('the object is absent')
}

const withoutDate = (headers: string[]): string[] =>
  headers.filter((_, i) => headers[i - (i % 2)]?.toLowerCase() !== 'date')

/** The list of uploads in which that of one key was begun two days ago. */
function agedBody(body: Buffer, key: string) {
  const parts = body.toString().split('<Upload>')
  if (parts.length === 1) return {}
  const begun = `<Initiated>${new Date(Date.now() - 48 * 3_600_000).toISOString()}</Initiated>`
  const aged = parts.map((part) =>
    part.includes(`<Key>${key}</Key>`) ? part.replace(/<Initiated>.*?<\/Initiated>/, begun) : part,
  )
  return { body: Buffer.from(aged.join('<Upload>')) }
}
