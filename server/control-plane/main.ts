/** The process of the Membridge Control Plane: read the environment, start, wait for a signal, stop. */
import { createLog } from '#server/composition/log.ts'
import { awaitedEnvironment } from '#server/environment/awaited-environment.ts'
import { EnvFault } from '#server/environment/env-fault.ts'
import { startControlPlane } from './control-plane.ts'
import { loadControlPlaneEnv } from './control-plane-env.ts'

/** How long a stop may take in all. */
const GRACE_MS = 14_000

const signalled = new Promise<void>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
})

async function main(): Promise<void> {
  if (!((await awaitedEnvironment()) ?? true)) return
  const env = loadControlPlaneEnv(process.env)
  const log = createLog(env, 'control-plane')
  if (env.MEMBRIDGE_DEV) log.warn('MEMBRIDGE_DEV=1: the control plane asks for no key')
  const controlPlane = await startControlPlane(env, log)
  log.info({ port: controlPlane.port, rss_mb: Math.round(process.memoryUsage.rss() / 2 ** 20) }, 'ready')
  await signalled
  setTimeout(() => process.exit(1), GRACE_MS).unref()
  await controlPlane.stop()
  log.info('stopped')
}

try {
  await main()
  process.exit(0)
} catch (error) {
  console.error(error instanceof EnvFault ? error.message : error)
  process.exit(1)
}
