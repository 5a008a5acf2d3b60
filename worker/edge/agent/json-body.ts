import type { IncomingMessage } from 'node:http'
import { mediaTypeOf } from './access.ts'
import { AgentRefusal } from './agent-refusal.ts'

/**
 * The body of a request as JSON [edge#wire]. An absent body is `{}`; a declared length is not believed. What is too long is read to its end
 * and thrown away, since a client that still sends would otherwise never see the answer; beyond `DISCARDED_BYTES` the connection ends.
 */
const BODY_BYTES = 100 * 1024
const DISCARDED_BYTES = 10 * 1024 * 1024

export async function readJsonBody(request: IncomingMessage, most = BODY_BYTES): Promise<unknown> {
  const bytes = await readBytes(request, most)
  const type = mediaTypeOf(request.headers)
  if ((request.headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new AgentRefusal(415, 'Send the body without compression.')
  if (bytes.length === 0 && (type === '' || type === 'application/json')) return {}
  if (type !== 'application/json') throw new AgentRefusal(415, 'Send application/json.')
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new AgentRefusal(400, 'The body is not JSON in UTF-8.')
  }
}

async function readBytes(request: IncomingMessage, most: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > DISCARDED_BYTES) break
    if (size <= most) chunks.push(chunk)
  }
  if (size > most)
    throw new AgentRefusal(413, `The body is larger than ${most} bytes.`, { connection: 'close' })
  return Buffer.concat(chunks)
}
