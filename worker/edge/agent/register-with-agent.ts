import { z } from 'zod'
import { type NodeRegistrationAnswer, nodeRegistrationAnswer } from '#contracts/node-agent.contract.ts'
import type { Settings } from '../config/settings.ts'
import { EdgeFault } from '../fault.ts'
import { isLoopback } from './access.ts'
import { postJson } from './post-json.ts'

/**
 * Registers a project with the agent of this machine [edge#agent]. Over loopback it shows no key: whichever program listens there would
 * read it. An agent that listens on another address alone asks for one.
 */
const TIMEOUT_MS = 2_000

type Registered = { project_id: string; path?: string }

export async function registerWithAgent(
  settings: Settings,
  project: Registered,
): Promise<NodeRegistrationAnswer> {
  const { host, headers } = agentOf(settings)
  const url = `http://${host}:${settings.MEMBRIDGE_AGENT_PORT}/register_project`
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const { status, text } = await postJson({ url, headers, value: project, signal }).catch(() => {
    throw new EdgeFault(`the agent does not answer at ${url}: start it with membridge agent`)
  })
  const answer = nodeRegistrationAnswer.safeParse(jsonOf(text))
  if (status === 200 && answer.success) return answer.data
  const refused = DETAIL.safeParse(jsonOf(text))
  const why = refused.success ? refused.data.detail : `HTTP ${status}`
  throw new EdgeFault(
    `the agent at ${url} refused the project: ${typeof why === 'string' ? why : JSON.stringify(why)}`,
  )
}

/** Where the agent of these settings is called from its own machine. */
function agentOf({ MEMBRIDGE_AGENT_HOST: host, MEMBRIDGE_AGENT_KEY: key }: Settings): {
  host: string
  headers: Record<string, string>
} {
  if (host === 'localhost' || isLoopback(host)) return { host: host === '::1' ? '[::1]' : host, headers: {} }
  if (host === '0.0.0.0' || host === '::') return { host: '127.0.0.1', headers: {} }
  return { host: host.includes(':') ? `[${host}]` : host, headers: key ? { 'x-membridge-agent': key } : {} }
}

const DETAIL = z.object({ detail: z.union([z.string(), z.array(z.unknown())]) })

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
