import { lookup as systemLookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { Agent, type Dispatcher, request } from 'undici'
import { addressList, mayConnect } from './address-rules.ts'

/**
 * The one way out for addresses that come from data [outbound#guarded-fetch].
 *
 * Design: an address must have the exact scheme, host and port of a listed origin, or be https where the rules take any. Names are resolved by our own look-up inside the connect,
 * and every address of the answer is checked there, so a name cannot change between check and use. An origin that is listed with a literal
 * address, or as `localhost`, lists that address too; other private addresses must be listed by themselves. No redirects, no compressed
 * answers, no credentials in the address; bodies are bounded in size and type; one deadline covers the whole exchange.
 *
 * Failure modes: `OutboundRefused` when a rule says no (never sent, or its answer thrown away), `OutboundFailed` when the other side did
 * not answer in time or at all. Neither holds more of the address than its origin.
 */
export type RefusalReason = 'origin' | 'address' | 'redirect' | 'size' | 'type'

export class OutboundRefused extends Error {
  readonly reason: RefusalReason
  constructor(reason: RefusalReason, message: string) {
    super(message)
    this.name = 'OutboundRefused'
    this.reason = reason
  }
}

export class OutboundFailed extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'OutboundFailed'
  }
}

export type OutboundRules = {
  /** Origins such as `http://127.0.0.1:3000`; compared whole. */
  origins: readonly string[]
  /** Also every https origin on its usual port; what its name leads to must be public, or listed. */
  anyHttps?: true
  /** Private addresses and networks that a listed name may resolve to. */
  addresses?: readonly string[]
  maxBytes?: number
  timeoutMs?: number
  /** For the connection alone; as long as the whole exchange when not given. */
  connectMs?: number
  lookup?: LookupFunction
}
export type OutboundRequest = {
  method?: 'GET' | 'POST'
  headers?: Record<string, string>
  body?: string | Uint8Array
  signal?: AbortSignal
  /** Only the status and the headers count: the body is thrown away unread, whatever it is. */
  statusOnly?: true
}
export type OutboundAnswer = { status: number; headers: Record<string, string>; body: Buffer }
export type GuardedFetch = {
  /** The reason why the address would be refused before anything is sent, or null. */
  refusal(url: string): string | null
  fetch(url: string, request?: OutboundRequest): Promise<OutboundAnswer>
  close(): Promise<void>
}

const MAX_BYTES = 5 * 1024 * 1024
const TIMEOUT_MS = 10_000
const LOOPBACK = ['127.0.0.1', '::1']
const READABLE = /^(application\/(?:[\w.+-]+\+)?json|text\/[\w.+-]+)\s*(;|$)/iu

const isUsualHttps = ({ protocol, port }: URL) => protocol === 'https:' && port === ''

const bareHost = (url: URL) => url.hostname.replace(/^\[|\]$/gu, '')

export function listedBy(origin: string): string[] {
  const host = bareHost(new URL(origin))
  if (isIP(host)) return [host]
  return host === 'localhost' ? LOOPBACK : []
}

/** Parses and normalises an origin; throws when it is more or less than scheme, host and port. */
export function parseOrigin(text: string): string {
  const url = new URL(text)
  const plain = url.pathname === '/' && !url.search && !url.hash && !url.username && !url.password
  if (!/^https?:$/u.test(url.protocol) || !plain)
    throw new Error('is not an origin such as https://host:port')
  return url.origin
}

/** What may be told of an address that was refused: its origin, or its scheme where it has none. */
export function originOf(text: string): string {
  if (!URL.canParse(text)) return 'unreadable'
  const { origin, protocol } = new URL(text)
  return (origin === 'null' ? protocol : origin).slice(0, 300)
}

export function createGuardedFetch(rules: OutboundRules): GuardedFetch {
  const origins = new Set(rules.origins.map(parseOrigin))
  const listed = addressList([...(rules.addresses ?? []), ...[...origins].flatMap(listedBy)])
  const timeoutMs = rules.timeoutMs ?? TIMEOUT_MS
  const allowed = (address: string) => mayConnect(address, listed)
  const agent = new Agent({
    connect: {
      lookup: checkedLookup(rules.lookup ?? (systemLookup as LookupFunction), allowed),
      timeout: rules.connectMs ?? timeoutMs,
    },
    keepAliveTimeout: 1000,
    pipelining: 1,
  })

  function refusal(text: string): string | null {
    if (!URL.canParse(text)) return 'is not an address'
    const url = new URL(text)
    if (!origins.has(url.origin) && !(rules.anyHttps && isUsualHttps(url)))
      return `the origin ${url.origin} is not listed`
    if (url.username || url.password) return 'carries credentials'
    const host = bareHost(url)
    return isIP(host) && !allowed(host) ? 'leads to an address that is not listed' : null
  }

  async function fetch(text: string, options: OutboundRequest = {}): Promise<OutboundAnswer> {
    const no = refusal(text)
    if (no) throw new OutboundRefused('origin', no)
    const deadline = AbortSignal.timeout(timeoutMs)
    const signal = options.signal ? AbortSignal.any([options.signal, deadline]) : deadline
    try {
      const answer = await request(text, {
        dispatcher: agent,
        method: options.method ?? 'GET',
        headers: { accept: 'application/json, text/*', ...options.headers, 'accept-encoding': 'identity' },
        body: options.body ?? null,
        signal,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
      })
      return await (options.statusOnly ? dropBody(answer) : readAnswer(answer, rules.maxBytes ?? MAX_BYTES))
    } catch (error) {
      throw translated(error, new URL(text).origin, options.signal)
    }
  }

  return { refusal, fetch, close: () => agent.destroy() }
}

/** Resolves a name and hands on only when every address of the answer is allowed. */
export function checkedLookup(lookup: LookupFunction, allowed: (address: string) => boolean): LookupFunction {
  return (host, options, callback) =>
    lookup(host, { ...options, all: true }, (error, found) => {
      const addresses = Array.isArray(found) ? found : []
      if (error) return callback(error, '')
      const wrong = addresses.length === 0 || addresses.some((a) => !allowed(a.address))
      if (wrong)
        return callback(new OutboundRefused('address', `${host} leads to an address that is not listed`), '')
      if (options.all) return callback(null, addresses)
      return callback(null, addresses[0]?.address ?? '', addresses[0]?.family)
    })
}

const headersOf = ({ headers }: Dispatcher.ResponseData): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  )

/** Without a listener the abort of the unread body would end the process. */
const discard = ({ body }: Dispatcher.ResponseData) => body.on('error', () => undefined).destroy()

function dropBody(answer: Dispatcher.ResponseData): OutboundAnswer {
  discard(answer)
  return { status: answer.statusCode, headers: headersOf(answer), body: Buffer.alloc(0) }
}

async function readAnswer(answer: Dispatcher.ResponseData, maxBytes: number): Promise<OutboundAnswer> {
  const headers = headersOf(answer)
  const no = headersRefusal(answer.statusCode, headers, maxBytes)
  if (no) {
    discard(answer)
    throw no
  }
  const parts: Buffer[] = []
  let size = 0
  for await (const part of answer.body as AsyncIterable<Buffer>) {
    size += part.length
    if (size > maxBytes) throw new OutboundRefused('size', `the answer is above ${maxBytes} bytes`)
    parts.push(part)
  }
  const readable = READABLE.test(headers['content-type'] ?? '')
  if (size > 0 && !readable && answer.statusCode < 300)
    throw new OutboundRefused('type', 'the answer is neither JSON nor text')
  return { status: answer.statusCode, headers, body: readable ? Buffer.concat(parts) : Buffer.alloc(0) }
}

function headersRefusal(
  status: number,
  headers: Record<string, string>,
  maxBytes: number,
): OutboundRefused | null {
  if (status >= 300 && status < 400)
    return new OutboundRefused('redirect', 'the answer leads elsewhere; redirects are not followed')
  const encoding = headers['content-encoding']
  if (encoding && encoding !== 'identity') return new OutboundRefused('type', 'the answer is compressed')
  if (Number(headers['content-length'] ?? 0) > maxBytes)
    return new OutboundRefused('size', `the answer is above ${maxBytes} bytes`)
  return null
}

/** One of our own errors, whatever the network library wrapped it in; the caller's own abort stays what it is. */
function translated(error: unknown, origin: string, own: AbortSignal | undefined): unknown {
  if (own?.aborted) return own.reason
  for (let e = error; e instanceof Error; e = e.cause) if (e instanceof OutboundRefused) return e
  const { code, name } = error as { code?: unknown; name?: unknown }
  const why = name === 'TimeoutError' ? 'in time' : typeof code === 'string' ? `(${code})` : ''
  return new OutboundFailed(`${origin} did not answer ${why}`.trimEnd(), error)
}
