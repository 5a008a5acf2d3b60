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

/** Ends the streams when the process is asked to stop; for the start-up file of the web process. */
export function endStreamsOnSignals(): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => shutdown().abort())
}
