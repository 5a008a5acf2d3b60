/** The process of the NotebookLM Backend: read the environment, start, wait for a signal, stop. */
import { createLog } from '#server/composition/log.ts'
import { awaitedEnvironment } from '#server/environment/awaited-environment.ts'
import { startNlmBackend } from './nlm-backend.ts'
import { loadNlmEnv, NlmEnvFault } from './nlm-env.ts'

const signalled = new Promise<void>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
})

async function main(): Promise<void> {
  if (!((await awaitedEnvironment()) ?? true)) return
  const env = loadNlmEnv(process.env)
  const log = createLog(env, 'nlm-backend')
  const backend = await startNlmBackend(env, log)
  log.info({ port: backend.port }, 'ready')
  await signalled
  await backend.stop()
  log.info('stopped')
}

try {
  await main()
  process.exit(0)
} catch (error) {
  console.error(error instanceof NlmEnvFault ? error.message : error)
  process.exit(1)
}
