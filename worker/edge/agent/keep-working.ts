import { setTimeout as pause } from 'node:timers/promises'
import { reportKept } from '../tasks/report-outcome.ts'
import { runtimeClient } from '../tasks/runtime-client.ts'
import { aboutThis, work } from '../tasks/work.ts'
import type { Agent } from './agent.ts'

const ANNOUNCE_MS = 20_000

/**
 * Takes part in BLOOM Runtime as long as the agent runs [edge#work]: fetches tasks (`MEMBRIDGE_WORK=pull`), or says where it is called (`push`). Ends with the
 * agent; a fault of the settings is a line in the log, and the agent goes on without.
 */
export async function keepWorking(agent: Agent, port: number): Promise<void> {
  const { host, loaded, stopping, tasks, log, redactor } = agent
  const settings = loaded.values
  if (settings.MEMBRIDGE_WORK === 'off') return
  try {
    const client = runtimeClient(settings)
    const say = (line: string) => log('INFO', line)
    if (settings.MEMBRIDGE_WORK === 'pull')
      return void (await work({ host, settings, client, stopped: stopping, tasks, say }))
    const url = settings.MEMBRIDGE_AGENT_URL ?? `http://${host.name}:${port}`
    while (!stopping.aborted) {
      const answer = await client.register(aboutThis({ host, settings }, 'online', url), stopping)
      if ('why' in answer) log('WARNING', `the runtime does not take this worker: ${answer.why}`)
      await reportKept({ host, client: null, say })
      await pause(ANNOUNCE_MS, undefined, { signal: stopping }).catch(() => {})
    }
    await client.register(aboutThis({ host, settings }, 'offline', url), AbortSignal.timeout(5_000))
  } catch (error) {
    log('ERROR', `this node runs no tasks: ${redactor.text((error as Error).message)}`)
  }
}
