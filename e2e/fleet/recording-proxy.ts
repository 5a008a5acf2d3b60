import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { bodyOf, forward, xml } from '../s3-server/faulty-proxy.ts'

/**
 * Stands between the nodes and an S3 server: writes down every write that the server accepted, in the form that the referee judges, and
 * spoils some requests as networks do.
 */
export type AcceptedWrite = {
  key: string
  /** The etag that it was made upon; `null` where the object had to be absent, `undefined` where no condition was set. */
  upon: string | null | undefined
  etag: string
  body: string
  /** Milliseconds by the clock of this process, when the answer came. */
  at: number
}

export type RecordingProxy = {
  endpoint: string
  writes: AcceptedWrite[]
  counts: { requests: number; refused: number; lost: number }
  close(): Promise<void>
}

/** Shares of requests that are answered with 503, and of writes whose answer is lost. */
export type Spoiling = { refused: number; lost: number; random: () => number }

const FENCED = /\/(leadership\/lease\.json|sqlite\/manifest\.json|locks\/active\.lock)$/

export async function startRecordingProxy(target: string, spoiling: Spoiling): Promise<RecordingProxy> {
  const writes: AcceptedWrite[] = []
  const counts = { requests: 0, refused: 0, lost: 0 }
  const server = createServer(async (incoming, response) => {
    counts.requests++
    try {
      const body = await bodyOf(incoming)
      if (spoiling.random() < spoiling.refused) {
        counts.refused++
        response.writeHead(503).end(xml('SlowDown'))
        return
      }
      const answer = await forward(target, incoming, body)
      const isWrite = incoming.method === 'PUT'
      if (isWrite && answer.status === 200) record(writes, incoming, { body, headers: answer.headers })
      if (isWrite && spoiling.random() < spoiling.lost) {
        counts.lost++
        response.destroy()
        return
      }
      response.writeHead(answer.status, answer.headers).end(answer.body)
    } catch {
      response.destroy()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    writes,
    counts,
    close: () => {
      server.closeAllConnections()
      return new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

function record(
  writes: AcceptedWrite[],
  { url = '', headers }: IncomingMessage,
  answer: { body: Buffer; headers: string[] },
): void {
  const key = decodeURIComponent(new URL(url, 'http://store').pathname)
  if (!FENCED.test(key)) return
  const upon = headers['if-none-match'] === '*' ? null : bare(headers['if-match'])
  const etag = bare(headerOf(answer.headers, 'etag')) ?? ''
  writes.push({ key, upon, etag, body: answer.body.toString('utf8'), at: performance.now() })
}

const bare = (etag: string | undefined): string | undefined => etag?.replaceAll('"', '')

function headerOf(raw: string[], name: string): string | undefined {
  const at = raw.findIndex((field, n) => n % 2 === 0 && field.toLowerCase() === name)
  return at < 0 ? undefined : raw[at + 1]
}
