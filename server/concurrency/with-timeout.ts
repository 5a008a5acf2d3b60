/** The limit of `withTimeout` was reached. */
export class TimedOut extends Error {
  constructor(ms: number) {
    super(`no answer within ${ms} ms`)
    this.name = 'TimeoutError'
  }
}

/**
 * What `work` comes to, or an error as soon as its time is up (`TimedOut`) or `signal` aborts (its reason). The work is told by the
 * signal that it is given; work that does not heed it is left behind, and whatever it comes to is dropped.
 */
export async function withTimeout<T>(
  { ms, signal }: { ms: number; signal?: AbortSignal | undefined },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted()
  const told = new AbortController()
  const left = Promise.withResolvers<never>()
  const leave = (reason: unknown) => {
    left.reject(reason)
    told.abort(reason)
  }
  const stop = () => leave(signal?.reason)
  const timer = setTimeout(() => leave(new TimedOut(ms)), ms)
  signal?.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([left.promise, work(told.signal)])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}
