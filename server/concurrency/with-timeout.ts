/** The limit of `withTimeout` was reached. */
export class TimedOut extends Error {
  constructor(ms: number) {
    super(`no answer within ${ms} ms`)
    this.name = 'TimeoutError'
  }
}

/**
 * The result of `work`, or an error as soon as its time is up (`TimedOut`) or `signal` aborts (its reason). The work gets a
 * signal to stop; work that ignores it is abandoned and its result dropped. Work whose length is not known calls `restart` as
 * it gets on: then the limit is on standing still.
 */
export async function withTimeout<T>(
  { ms, signal }: { ms: number; signal?: AbortSignal | undefined },
  work: (signal: AbortSignal, restart: () => void) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  const stopping = new AbortController()
  const abandoned = Promise.withResolvers<never>()
  const abandon = (reason: unknown) => {
    abandoned.reject(reason)
    stopping.abort(reason)
  }
  const stop = () => abandon(signal?.reason)
  const timer = setTimeout(() => abandon(new TimedOut(ms)), ms)
  signal?.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([abandoned.promise, work(stopping.signal, () => void timer.refresh())])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}
