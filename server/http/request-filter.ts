import { subscribe } from 'node:diagnostics_channel'
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http'
import { parseAndValidateFlightRouterState } from 'next/dist/server/app-render/parse-and-validate-flight-router-state.js'
import { envelopeOf } from '#contracts/error.contract.ts'
import { httpStatus, type Refusal } from '#domain/kernel/errors.ts'
import { isUnderTls, SCHEME_HEADER, securityHeaders } from './headers.ts'
import { isCatalogue, isMachinePath } from './machine-path.ts'
import { onceInProcess } from './once-in-process.ts'

/**
 * What stands before the framework and its sign-in library ([http#what-is-refused-first]): what they would answer with a 5xx is refused here, with the
 * envelope below `/api` and in plain words elsewhere, and every answer begins with the security headers. It decides nothing about access.
 */
export type Asked = { method: string; url: string; headers: IncomingHttpHeaders }

const bad = (message: string): Refusal => ({ code: 'BAD_REQUEST', message })

const MAX_URL = 8_192
/** Printable ASCII; what browsers always encode in a path is none of it. */
const URL_CHARS = /^\/[!-~]*$/
const PATH_CHARS = /^[^"<>\\^`{}]*$/
/** `.` and `..`, encoded or not: clients resolve them, and the framework would after this filter has judged another path. */
const DOT_SEGMENT = /\/(?:\.|%2e){1,2}(?:\/|$)/i
const HOST = /^(?:[a-z0-9_](?:[a-z0-9._-]{0,252})|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i

/** Answered by the product alone, whose services wait for themselves. */
const HEALTH_PATH = '/health'
const NOT_STARTED: Refusal = { code: 'STARTING', message: 'The console could not be started.' }

/** Methods that the framework can make a request of; TRACE and its like are none. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
/** Methods of the pages; what is no page knows its own. */
const PAGE_METHODS = ['GET', 'HEAD']

/** What is wrong with a request, or null; the first fault in a fixed order. */
export function requestFault({ method, url, headers }: Asked): Refusal | null {
  if (url.length > MAX_URL) return bad('The address is too long.')
  const [path = ''] = url.split(/[?#]/, 1)
  if (
    !URL_CHARS.test(url) ||
    !PATH_CHARS.test(path) ||
    path.startsWith('//') ||
    DOT_SEGMENT.test(path) ||
    !decodes(path)
  )
    return bad('The address is not one of this console.')
  if (headers.host === undefined || !isHost(headers.host)) return bad('The host is missing or malformed.')
  const machine = isMachinePath(path)
  if (!(machine ? METHODS : PAGE_METHODS).includes(method))
    return { code: 'METHOD_NOT_ALLOWED', message: `This address is not called by ${method}.` }
  if (machine) return null
  if (hasInheritedName(url)) return bad('The address is not one of this console.')
  if (headers['next-action'] !== undefined) return bad('There are no server actions here.')
  return routerFault(headers)
}

/** Every percent sign of a path stands before two digits, and the bytes are UTF-8 without NUL. */
function decodes(path: string): boolean {
  try {
    return !decodeURIComponent(path).includes('\0')
  } catch {
    return false
  }
}

/** The framework looks parameters up in a plain object, and takes what every object inherits for a value that was sent. */
function hasInheritedName(url: string): boolean {
  const [query = ''] = url.split('?').slice(1).join('?').split('#', 1)
  return [...new URLSearchParams(query).keys()].some((name) => name in Object.prototype)
}

const isHost = (host: string): boolean =>
  HOST.test(host) && Number(/:(\d+)$/.exec(host)?.[1] ?? 0) < 65_536 && URL.canParse(`http://${host}/`)

/** The framework's own check of its header, which it makes too late to refuse. */
function routerFault(headers: IncomingHttpHeaders): Refusal | null {
  try {
    parseAndValidateFlightRouterState(headers['next-router-state-tree'])
    return null
  } catch {
    return bad('The state of the router cannot be read.')
  }
}

const RETURN_ADDRESS = /^\s*(?:__Host-)?garden_back=/

/**
 * The sign-in library keeps an address to return to in a cookie, calls any other text in it a fault of the server, and is the only one to read
 * it: the console decides itself where to go.
 */
export function dropReturnAddress(headers: IncomingHttpHeaders): void {
  if (headers.cookie === undefined) return
  const kept = headers.cookie.split(';').filter((cookie) => !RETURN_ADDRESS.test(cookie))
  headers.cookie = kept.join(';')
}

/**
 * Stands before every server of this process, from its first request on.
 *
 * @param ready what every request waits for, but for the launcher's own, which makes the console load; with `false` it is refused
 */
export function filterRequests(ready: Promise<boolean> | null = null): void {
  onceInProcess('filter', () => {
    const guarded = new WeakSet<Server>()
    subscribe('http.server.request.start', (message) => {
      const { server } = message as { server: Server }
      if (guarded.has(server)) return
      guarded.add(server)
      standBefore(server, ready)
    })
  })
}

function standBefore(server: Server, ready: Promise<boolean> | null): void {
  // The message comes before the request is handed on, so the first one is judged, too.
  const handlers = server.listeners('request')
  server.removeAllListeners('request')
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '', headers } = request
    const fault = requestFault({ method, url, headers })
    if (fault) return refuse(request, response, fault)
    dropReturnAddress(headers)
    setHeaders(request, response)
    const handOn = () => {
      for (const handle of handlers) Reflect.apply(handle, server, [request, response])
    }
    if (ready && url !== HEALTH_PATH)
      void ready.then((isReady) => (isReady ? handOn() : refuse(request, response, NOT_STARTED)))
    else handOn()
  })
}

const STREAM = '/api/v1/events/stream'
/** The build's own files never change: the framework says how long they are kept. */
const BUILT = '/_next/static/'

/**
 * The security headers of what is no page. Every answer begins with them, so that none goes without; `proxy.ts` puts a page's own in their place, and
 * is not asked for the others: that would be a third of the work of a small answer.
 */
function setHeaders(request: IncomingMessage, response: ServerResponse): void {
  const [path = ''] = (request.url ?? '').split(/[?#]/, 1)
  if (path.startsWith(BUILT)) return
  for (const [name, value] of Object.entries(headersFor(request))) response.setHeader(name, value)
  // It says itself how long it is kept.
  if (isCatalogue(path)) response.removeHeader('Cache-Control')
  // Compression holds events back until its buffer is full.
  if (path === STREAM) response.setHeader('Cache-Control', 'no-store, no-transform')
}

const CLEAR = securityHeaders({ nonce: null, secure: false })
const SECURE = securityHeaders({ nonce: null, secure: true })

const headersFor = ({ headers }: IncomingMessage): Record<string, string> =>
  isUnderTls(headers[SCHEME_HEADER]?.toString()) ? SECURE : CLEAR

function refuse(request: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
  const api = (request.url ?? '').startsWith('/api')
  const id = crypto.randomUUID()
  const body = api ? JSON.stringify(envelopeOf(refusal, id)) : `${refusal.message}\n`
  const type = api ? 'application/json' : 'text/plain'
  response.writeHead(httpStatus(refusal.code), {
    ...headersFor(request),
    'content-type': `${type}; charset=utf-8`,
    'x-correlation-id': id,
    ...(refusal.code === 'METHOD_NOT_ALLOWED' ? { allow: (api ? METHODS : PAGE_METHODS).join(', ') } : {}),
    // What is left of the request is not read.
    connection: 'close',
  })
  response.end(body)
}
