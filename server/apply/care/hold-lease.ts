/** Both leases of the garden's care last so long, and are renewed three times within it while the work goes on. */
export const CARE_LEASE_SECONDS = 60
const RENEW_MS = 20_000

/**
 * Runs `work` and renews its lease meanwhile. A renewal that finds the lease gone, or fails, aborts the work's signal: somebody else may be
 * at it. `signal` aborts it as well, and so does the limit. `cut` says that one of the first two did: how the work ended tells nothing of
 * what it worked on.
 */
export async function whileLeased<T>(
  { renew, signal, limitMs }: { renew: () => Promise<boolean>; signal: AbortSignal; limitMs: number },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<{ result: T; cut: boolean }> {
  const lost = new AbortController()
  const timer = setInterval(() => {
    renew().then(
      (leased) => leased || lost.abort(),
      () => lost.abort(),
    )
  }, RENEW_MS)
  try {
    const result = await work(AbortSignal.any([signal, lost.signal, AbortSignal.timeout(limitMs)]))
    return { result, cut: signal.aborted || lost.signal.aborted }
  } finally {
    clearInterval(timer)
  }
}
