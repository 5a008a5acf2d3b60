/**
 * The orderly end of the web process: streams end, no request is taken any more and those that are open are answered, the services write what they
 * hold in memory and close, the process ends with the signal's code. The framework's own end waits for answers only, so the launcher
 * tells it to leave the signals alone (`NEXT_MANUAL_SIG_HANDLE`).
 *
 * An answer that takes longer than the drain is cut off by the end of the process; one that never ends cannot keep the rest from being
 * written. Whatever hangs after that is cut off too, before the launcher would kill.
 */
import { subscribe } from 'node:diagnostics_channel'
import type { Server } from 'node:http'
import { constants } from 'node:os'
import { closeWebServices } from '#server/composition/web-services.ts'
import { shutdown } from '#server/stream/shutdown.ts'

/** How long open answers may take, and the whole end; the launcher kills after 15 s. */
const DRAIN_MS = 10_000
const GRACE_MS = 14_000

/** Ends this process in order on SIGTERM and SIGINT. Servers are known by their first request; one without any has nothing to finish. */
export function stopOnSignals(): void {
  const servers = new Set<Server>()
  subscribe('http.server.request.start', (message) => servers.add((message as { server: Server }).server))
  let stopping = false
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => {
      if (stopping) return
      stopping = true
      void stop(servers).finally(() => process.exit(128 + constants.signals[signal]))
    })
}

async function stop(servers: ReadonlySet<Server>): Promise<void> {
  setTimeout(() => process.exit(1), GRACE_MS).unref()
  shutdown().abort()
  // A connection whose answer ends from here on would be kept for the next request.
  subscribe('http.server.response.finish', () => setImmediate(closeIdle, servers))
  const closed = Promise.all([...servers].map((server) => new Promise((resolve) => server.close(resolve))))
  const late = new Promise((resolve) => setTimeout(resolve, DRAIN_MS).unref())
  await Promise.race([closed, late])
  await closeWebServices()
}

const closeIdle = (servers: ReadonlySet<Server>): void => {
  for (const server of servers) server.closeIdleConnections()
}
