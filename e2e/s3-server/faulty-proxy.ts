import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * Stands before an S3 server and spoils chosen requests, as networks and servers do.
 *
 * `503` and `409` answer without asking the server; `reset` breaks before, `lost-answer` after the server has acted;
 * `412-after-success` lets the server act and says that the condition did not hold; `error-in-200` does not let it act and
 * says 200, `hollow-200` says 200 and nothing else; `truncated-answer` cuts the answer's body, `truncated-upload` the request's; `hang` never answers;
 * `not-found-page` is a 404 of something that is no S3 server.
 */
export const FAULTS = [
  '503',
  '409',
  'reset',
  'lost-answer',
  '412-after-success',
  'error-in-200',
  'hollow-200',
  'truncated-answer',
  'truncated-upload',
  'hang',
  'not-found-page',
] as const
export type Fault = (typeof FAULTS)[number]

/** Names the fault of a request, or null to let it pass; asked once a request, in their order. */
export type Plan = (request: { method: string; url: string }) => Fault | null

export const xml = (code: string) =>
  `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>x</Message></Error>`

/** All of a request's or an answer's body. */
export async function bodyOf(stream: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of stream) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

export type Answer = { status: number; headers: IncomingMessage['rawHeaders']; body: Buffer }

/** Sends a request on as it came, or only the first `cut` bytes of its body. */
export function forward(
  target: string,
  incoming: IncomingMessage,
  body: Buffer,
  cut = body.length,
): Promise<Answer> {
  const { hostname, port } = new URL(target)
  return new Promise((resolve, reject) => {
    const { method, url: path, rawHeaders: headers } = incoming
    const upstream = request(
      { hostname, port, method, path, headers, setHost: false, agent: false },
      async (answer) => {
        resolve({ status: answer.statusCode ?? 502, headers: answer.rawHeaders, body: await bodyOf(answer) })
      },
    )
    upstream.once('error', reject)
    if (cut === body.length) upstream.end(body)
    else upstream.write(body.subarray(0, cut), () => upstream.destroy(new Error('cut')))
  })
}

function answerItself(fault: Fault, response: ServerResponse): boolean {
  if (fault === 'hang') return true
  if (fault === 'reset') response.destroy()
  else if (fault === '503') response.writeHead(503).end(xml('SlowDown'))
  else if (fault === '409') response.writeHead(409).end(xml('ConditionalRequestConflict'))
  else if (fault === 'error-in-200') response.writeHead(200).end(xml('PreconditionFailed'))
  else if (fault === 'hollow-200') response.writeHead(200).end()
  else if (fault === 'not-found-page') response.writeHead(404).end('<html>404</html>')
  else return false
  return true
}

function pass(answer: Answer, fault: Fault | null, response: ServerResponse): void {
  if (fault === 'lost-answer') response.destroy()
  else if (fault === '412-after-success') response.writeHead(412).end(xml('PreconditionFailed'))
  else if (fault === 'truncated-answer' && answer.body.length > 1) {
    response.writeHead(answer.status, answer.headers)
    response.write(answer.body.subarray(0, answer.body.length >> 1), () => response.destroy())
  } else response.writeHead(answer.status, answer.headers).end(answer.body)
}

/** Starts the proxy on a port of its own; `requests` counts what came, and `spoilt` what was spoilt. */
export async function startFaultyProxy(target: string, plan: Plan) {
  const count = { requests: 0, spoilt: 0 }
  const server = createServer(async (incoming, response) => {
    const fault = plan({ method: incoming.method ?? '', url: incoming.url ?? '' })
    count.requests++
    if (fault) count.spoilt++
    try {
      const body = await bodyOf(incoming)
      if (fault && answerItself(fault, response)) return
      pass(
        await forward(target, incoming, body, fault === 'truncated-upload' ? body.length >> 1 : undefined),
        fault,
        response,
      )
    } catch {
      response.destroy()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => server.close(() => resolve()))
  }
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, count, close }
}
