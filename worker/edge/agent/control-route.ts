import type { Agent } from './agent.ts'
import { AgentRefusal } from './agent-refusal.ts'
import { isSupervised } from './node-facts.ts'

/**
 * What a caller may do to the agent itself, where the node's owner allows it [edge#process-control]. Restarting is ending with a code upon which a
 * service starts the program again; so it is refused where no service would. The program neither replaces nor removes itself.
 */
export type ControlAction = 'restart' | 'self-update' | 'uninstall'

/** The exit code of an agent that asks to be started again (EX_TEMPFAIL). */
export const RESTART_EXIT_CODE = 75

const NOT_OFFERED: Record<Exclude<ControlAction, 'restart'>, string> = {
  'self-update':
    'The agent does not replace its own program: unpack the new archive on the node and restart the service.',
  uninstall:
    'The agent does not remove itself: stop and disable its service on the node, then delete its folder.',
}

export function control(agent: Agent, action: ControlAction): { ok: true; dryrun: boolean; detail: string } {
  const { MEMBRIDGE_ALLOW_PROCESS_CONTROL, MEMBRIDGE_AGENT_DRYRUN } = agent.loaded.values
  if (!MEMBRIDGE_ALLOW_PROCESS_CONTROL)
    throw new AgentRefusal(
      403,
      'Process control is disabled. Set MEMBRIDGE_ALLOW_PROCESS_CONTROL=1 to enable.',
    )
  if (MEMBRIDGE_AGENT_DRYRUN) return { ok: true, dryrun: true, detail: `[DRYRUN] Would execute ${action}` }
  if (action !== 'restart') throw new AgentRefusal(501, NOT_OFFERED[action])
  if (!isSupervised())
    throw new AgentRefusal(
      501,
      'No service manager started this agent, so nothing would start it again: restart it on the node, or run it as a service.',
    )
  agent.end(RESTART_EXIT_CODE)
  return {
    ok: true,
    dryrun: false,
    detail: `The agent ends with exit code ${RESTART_EXIT_CODE}, and its service starts it again.`,
  }
}
