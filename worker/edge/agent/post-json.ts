import http from 'node:http'

/**
 * One POST on a connection of its own: no redirect is followed and no proxy of the environment asked, so that a key goes where it was meant to.
 * Rejects with what the connection said; of an answer the first 64 KB are read, unless more is asked for.
 */
export type PostedJson = {
  url: string
  headers: Record<string, string>
  value: unknown
  signal: AbortSignal
  mostBytes?: number
}
export type Posted = { status: number; text: string }

const ANSWER_BYTES = 64 * 1024

export async function postJson({
  url,
  headers,
  value,
  signal,
  mostBytes = ANSWER_BYTES,
}: PostedJson): Promise<Posted> {
  const body = JSON.stringify(value)
  // TLS is loaded by nodes that need it.
  const { request: open } = url.startsWith('https:') ? await import('node:https') : http
  return new Promise((resolve, reject) => {
    const request = open(url, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
        connection: 'close',
      },
      agent: false,
      signal,
    })
    request.once('error', reject)
    request.once('response', (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        if (text.length < mostBytes) text += chunk.slice(0, mostBytes - text.length)
      })
      answer.once('error', reject)
      answer.once('end', () => resolve({ status: answer.statusCode ?? 0, text }))
    })
    request.end(body)
  })
}
