import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { HeadObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import type { S3Endpoint } from './ceph-cluster.ts'
import { type Answer, bodyOf, forward, xml } from './faulty-proxy.ts'

/**
 * Stands before the S3 server and changes how it takes conditions, as other servers differ.
 *
 * The packaged server keeps the conditions of plain writes and ignores those of completed multipart uploads. `completions`
 * keeps these as well, as Amazon's and MinIO's do (412, or 404 for `If-Match` on a missing key); `none` keeps none at all.
 * Writes pass one by one, so that looking and writing are one.
 */
export type Keeping = 'completions' | 'none'

/** What passed, and a way to change an answer before it is given. */
export type GatewayHooks = { onAnswer?: (request: IncomingMessage, answer: Answer) => Answer }

const targetOf = (url: string) => {
  const [, Bucket = '', ...key] = new URL(url, 'http://s3').pathname.split('/')
  return { Bucket, Key: key.map(decodeURIComponent).join('/') }
}

class Gateway {
  readonly #server: S3Endpoint
  readonly #keeping: Keeping
  readonly #client: S3Client
  #before: Promise<unknown> = Promise.resolve()

  constructor(server: S3Endpoint, keeping: Keeping) {
    this.#server = server
    this.#keeping = keeping
    this.#client = new S3Client({
      endpoint: server.endpoint,
      region: 'us-east-1',
      credentials: { accessKeyId: server.accessKey, secretAccessKey: server.secretKey },
      forcePathStyle: true,
    })
  }

  async answer(request: IncomingMessage): Promise<Answer> {
    const body = await bodyOf(request)
    if (!['PUT', 'POST'].includes(request.method ?? '')) return forward(this.#server.endpoint, request, body)
    const turn = this.#before.then(() => this.#write(request, body))
    this.#before = turn.catch(() => undefined)
    return await turn
  }

  async #write(request: IncomingMessage, body: Buffer): Promise<Answer> {
    const url = request.url ?? ''
    const { 'if-none-match': none, 'if-match': match } = request.headers
    const conditional = none !== undefined || match !== undefined
    const completes = request.method === 'POST' && url.includes('uploadId=')
    if (conditional && this.#keeping === 'none' && !completes) return await this.#overwrite(url, body)
    if (conditional && this.#keeping === 'completions' && completes) {
      const etag = await this.#etagOf(url)
      if (none !== undefined && etag !== null) return refusal(412, 'PreconditionFailed')
      if (match !== undefined && etag === null) return refusal(404, 'NoSuchKey')
      if (match !== undefined && etag !== match) return refusal(412, 'PreconditionFailed')
    }
    return await forward(this.#server.endpoint, request, body)
  }

  async #overwrite(url: string, Body: Buffer): Promise<Answer> {
    const { ETag = '' } = await this.#client.send(new PutObjectCommand({ ...targetOf(url), Body }))
    return { status: 200, headers: ['ETag', ETag], body: Buffer.alloc(0) }
  }

  async #etagOf(url: string): Promise<string | null> {
    try {
      const { ETag = '' } = await this.#client.send(new HeadObjectCommand(targetOf(url)))
      return ETag.replaceAll('"', '')
    } catch (error) {
      if ((error as Error).name === 'NotFound') return null
      throw error
    }
  }
}

const refusal = (status: number, code: string): Answer => ({
  status,
  headers: [],
  body: Buffer.from(xml(code)),
})

/** Starts the gateway on a port of its own; the access keys are those of the server behind it. */
export async function startConditionGateway(
  server: S3Endpoint,
  keeping: Keeping,
  { onAnswer = (_, answer) => answer }: GatewayHooks = {},
) {
  const gateway = new Gateway(server, keeping)
  const listener = createServer(async (request: IncomingMessage, response: ServerResponse) => {
    try {
      const answer = onAnswer(request, await gateway.answer(request))
      response.sendDate = false
      response.writeHead(answer.status, answer.headers).end(answer.body)
    } catch {
      response.destroy()
    }
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const close = () => {
    listener.closeAllConnections()
    return new Promise<void>((resolve) => listener.close(() => resolve()))
  }
  return { endpoint: `http://127.0.0.1:${(listener.address() as AddressInfo).port}`, close }
}
