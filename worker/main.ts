/** The worker: compose, start the loops, wait for a signal, stop backwards. */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { createServices } from '#server/composition/create-services.ts'
import { reportRights } from '#server/composition/report-rights.ts'
import { EnvFault } from '#server/env.ts'
import { awaitedEnvironment } from '#server/environment/awaited-environment.ts'
import { workerLoops } from './loops/all-loops.ts'
import { startLoop } from './loops/loop.ts'
import { recordPresence } from './loops/worker-presence.loop.ts'

/** How long a stopping worker may take; what it holds then is left to its leases. */
const GRACE_MS = 14_000

async function main(): Promise<void> {
  if (!((await awaitedEnvironment()) ?? true)) return
  const services = await createServices({ service: 'worker' })
  const { log } = services
  await reportRights(services)
  const holder = `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`
  await recordPresence(services.db, holder)
  const running = workerLoops(services, holder).map((loop) => ({ loop, handle: startLoop(loop, services) }))
  log.info({ holder, loops: running.length }, 'the worker is up')

  await signalled()
  setTimeout(() => process.exit(1), GRACE_MS).unref()
  for (const { loop, handle } of running.reverse()) {
    await handle.stop()
    await loop
      .after?.()
      .catch((error) => log.error({ err: error, loop: loop.name }, 'could not stop cleanly'))
  }
  await services.close()
  log.info({ holder }, 'the worker has stopped')
}

const signalled = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, () => resolve())
  })

try {
  await main()
} catch (error) {
  if (!(error instanceof EnvFault)) throw error
  console.error(error.message)
  process.exitCode = 1
}
