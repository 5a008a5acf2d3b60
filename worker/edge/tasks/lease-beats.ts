import { z } from 'zod'
import { liveTail } from './live-tail.ts'
import type { Reporter, Work } from './runtime-client.ts'

/**
 * The heartbeats of one task [edge#work]: at once and as often as its lease asks, with what the program printed.
 *
 * A beat that is refused, or none that is taken for as long as the lease lasts, means that the lease is lost. An answer that says no lease, as a proxy may
 * give it, is none: it prolongs nothing, and ends nothing before its time.
 */
const RENEWED = z.object({ leaseSeconds: z.number().positive() })

export type LeaseBeats = {
  /** Aborted when the lease is not this node's any more. */
  lost: AbortSignal
  /** What the program printed. */
  say(text: string): void
  stop(): void
}

/** @param mask takes the secrets out of what is sent */
export function startBeats(
  { client, mask }: { client: Reporter; mask: (text: string) => string },
  work: Work,
  contextReport: readonly object[],
): LeaseBeats {
  const lost = new AbortController()
  const tail = liveTail(mask)
  let until = performance.now() + work.leaseSeconds * 1_000
  let first = true
  let sending = false
  const beat = async () => {
    if (sending) return
    sending = true
    try {
      const progress = {
        phase: 'running',
        tail: tail.take(),
        ...(first ? { context_report: contextReport } : {}),
      }
      const reply = await client.renew(work, progress)
      const renewed = reply.kind === 'ok' ? RENEWED.safeParse(reply.body) : null
      if (renewed?.success) {
        first = false
        until = performance.now() + renewed.data.leaseSeconds * 1_000
      } else if (reply.kind === 'gone' || performance.now() > until) lost.abort()
    } finally {
      sending = false
    }
  }
  void beat()
  const timer = setInterval(beat, work.heartbeat_seconds * 1_000)
  return { lost: lost.signal, say: tail.say, stop: () => clearInterval(timer) }
}
