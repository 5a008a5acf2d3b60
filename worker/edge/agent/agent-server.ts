import { randomBytes } from 'node:crypto'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import { StorageUnavailable } from '#server/ports/object-store.ts'
import { EdgeFault, reasonOf } from '../fault.ts'
import { admit } from './access.ts'
import type { Agent } from './agent.ts'
import { AgentRefusal } from './agent-refusal.ts'
import { readJsonBody } from './json-body.ts'
import { AGENT_ROUTES, type AgentRoute } from './routes.ts'

/**
 * The agent over HTTP [edge#wire]: compact JSON, refusals as `{"detail": …}`, `X-Request-ID` both ways. Who asks is decided before a byte of the body
 * is read. A fault is one line in the log and a sentence to the caller; neither holds a stack.
 */
const LIMITS = {
  ...{ headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 5_000 },
  // How late the limits above may take effect; Node looks every 30 s unless it is told.
  connectionsCheckingInterval: 2_000,
}
const MAX_CONNECTIONS = 128

/** The server, not yet listening. */
export function createAgentServer(agent: Agent): http.Server {
  const server = http.createServer(LIMITS, (request, response) => void answer(agent, request, response))
  server.maxConnections = MAX_CONNECTIONS
  return server
}

async function answer(agent: Agent, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const requestId = requestIdOf(request)
  const [path = '/', search = ''] = splitOnce(request.url ?? '/')
  try {
    const route = routeOf(request.method ?? '', path)
    const origin = {
      method: route.method,
      peer: request.socket.remoteAddress ?? '',
      local: request.socket.localAddress ?? '',
      headers: request.headers,
    }
    admit(origin, route.access, agent.loaded.values)
    const query = Object.fromEntries(new URLSearchParams(search))
    const body = route.method === 'POST' ? await readJsonBody(request, route.bodyBytes) : undefined
    send(agent, response, {
      status: 200,
      value: await route.handle(agent, { origin, query, body, requestId }),
      requestId,
    })
  } catch (error) {
    if (request.destroyed && !request.complete) return
    const refusal = refusalOf(error)
    report(agent, refusal, { error, path, requestId })
    const { status, detail, headers } = refusal
    send(agent, response, { status, value: { detail }, requestId, headers })
  }
}

const splitOnce = (url: string): string[] => {
  const at = url.indexOf('?')
  return at < 0 ? [url] : [url.slice(0, at), url.slice(at + 1)]
}

function routeOf(method: string, path: string): AgentRoute {
  const known = AGENT_ROUTES.filter((route) => route.path === path)
  if (known.length === 0) throw new AgentRefusal(404, 'Not Found')
  const route = known.find((one) => one.method === method)
  if (route) return route
  const allow = known.map((one) => one.method).join(', ')
  throw new AgentRefusal(405, 'This address is called by another method.', { allow })
}

/** The caller's, if it can stand in a header and a log line. */
function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && /^[\x20-\x7e]{1,128}$/.test(given)
    ? given
    : randomBytes(6).toString('hex')
}

function refusalOf(error: unknown): AgentRefusal {
  if (error instanceof AgentRefusal) return error
  if (error instanceof EdgeFault) return new AgentRefusal(500, error.message)
  if (error instanceof StorageUnavailable)
    return new AgentRefusal(503, 'A file of this node is in use: try again.', { 'retry-after': '5' })
  return new AgentRefusal(500, 'The agent failed at this request; its log says why.')
}

type Failed = { error: unknown; path: string; requestId: string }

function report(
  { log, lines }: Agent,
  { status, message }: AgentRefusal,
  { error, path, requestId }: Failed,
): void {
  if (status < 500 && status !== 401 && status !== 403) return
  const repeats = lines.admit(`${status} ${path.slice(0, 64)}`)
  if (repeats === null) return
  const why = error instanceof AgentRefusal ? message : reasonOf(error)
  log(status < 500 ? 'WARNING' : 'ERROR', `request refused: ${why}`, {
    status,
    path: path.slice(0, 64),
    request_id: requestId,
    repeats,
  })
}

type Sent = { status: number; value: unknown; requestId: string; headers?: Record<string, string> }

function send(
  agent: Agent,
  response: ServerResponse,
  { status, value, requestId, headers = {} }: Sent,
): void {
  if (response.headersSent || response.destroyed) return
  const body = Buffer.from(JSON.stringify(value))
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
    ...(agent.stopping.aborted ? { connection: 'close' } : {}),
    ...headers,
  })
  response.end(body)
}
