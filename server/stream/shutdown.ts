/**
 * The one signal that ends every open stream of this process. It lives on globalThis because the framework bundles its
 * routes and its start-up file apart; `instrumentation.ts` fires it, a stream listens to `shutdown().signal`.
 */
const SHUTDOWN = Symbol.for('garden-bloom.shutdown')
type Holder = { [SHUTDOWN]?: AbortController }

export function shutdown(): AbortController {
  const holder = globalThis as Holder
  holder[SHUTDOWN] ??= new AbortController()
  return holder[SHUTDOWN]
}
