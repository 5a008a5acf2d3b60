/**
 * The server as a component test sees it: `fetch` answers tRPC by the given procedures and the stream of events by what the
 * test publishes. Any other address is a fault of the test.
 */
import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import type { Procedures } from './procedures.ts'

type LiveEvent = {
  id: string
  topic: string
  resource: { type: string; id: string }
  from?: string
  to?: string
}

export type Network = {
  /** Sends an event to the page, as the server's stream does. */
  publish: (event: LiveEvent) => void
  /** Takes the network away from the page, as the browser tells it, and gives it back. */
  disconnect: () => void
  connect: () => void
  /** Ends every stream and refuses new ones, as for a session that has ended, until it is signed in again. */
  endSession: () => void
  /** Gives `fetch` back. */
  restore: () => void
}

const SIGN_IN = '/api/auth/callback/password'
/** The only password that is refused. */
export const WRONG_PASSWORD = 'wrong password'
const refusedSignIn = () =>
  Response.json({ url: `${window.location.origin}/sign-in?error=CredentialsSignin` }, { status: 401 })

/** Answers every request of the page until `restore`. */
export function openNetwork(procedures: Procedures): Network {
  const real = window.fetch
  const streams = new Set<ReadableStreamDefaultController<Uint8Array>>()
  const bytes = new TextEncoder()
  let online = true
  let signedIn = true
  const become = (now: boolean) => {
    online = now
    Object.defineProperty(navigator, 'onLine', { configurable: true, get: () => online })
    if (!online) for (const stream of streams) stream.error(new TypeError('network error'))
    if (!online) streams.clear()
    window.dispatchEvent(new Event(online ? 'online' : 'offline'))
  }
  window.fetch = async (input, init) => {
    const request = new Request(input, init)
    if (!online) throw new TypeError('Failed to fetch')
    const { pathname } = new URL(request.url)
    if (pathname === '/api/v1/events/stream')
      return signedIn ? openStream(streams, request.signal) : new Response(null, { status: 401 })
    if (pathname === '/api/auth/csrf') return Response.json({ csrfToken: 'token' })
    if (pathname === SIGN_IN) {
      signedIn = (await request.json()).password !== WRONG_PASSWORD
      return signedIn ? Response.json({}) : refusedSignIn()
    }
    if (pathname.startsWith('/api/trpc/'))
      return fetchRequestHandler({
        endpoint: '/api/trpc',
        req: request,
        router: procedures,
        allowMethodOverride: true,
        onError: report,
      })
    throw new TypeError(`no answer for ${pathname}`)
  }
  return {
    publish: ({ id, topic, ...data }) => {
      const frame = `id: ${id}\nevent: ${topic}\ndata: ${JSON.stringify(data)}\n\n`
      for (const stream of streams) stream.enqueue(bytes.encode(frame))
    },
    endSession: () => {
      signedIn = false
      for (const stream of streams) stream.close()
      streams.clear()
    },
    disconnect: () => become(false),
    connect: () => become(true),
    restore: () => {
      if (!online) become(true)
      Reflect.deleteProperty(navigator, 'onLine')
      window.fetch = real
    },
  }
}

function openStream(
  streams: Set<ReadableStreamDefaultController<Uint8Array>>,
  signal: AbortSignal,
): Response {
  const body = new ReadableStream<Uint8Array>({
    start(stream) {
      streams.add(stream)
      stream.enqueue(new TextEncoder().encode(': open\n\n'))
      signal.addEventListener('abort', () => {
        if (streams.delete(stream)) stream.error(signal.reason)
      })
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

/** A procedure that nobody gave, or an answer outside its contract, is told where the test can be mended. */
function report({ path, error }: { path: string | undefined; error: Error & { code?: string } }): void {
  if (error.code === 'NOT_FOUND' || error.code === 'INTERNAL_SERVER_ERROR')
    console.error(path, error.message, error.cause)
}
