import type { z } from 'zod'
import { fieldFaults } from '#contracts/field-faults.ts'
import {
  type NodeAction,
  type NodeRegistration,
  type NodeRegistrationAnswer,
  nodeProjectRequest,
  nodeRegistrationRequest,
  nodeSyncRequest,
} from '#contracts/node-agent.contract.ts'
import { canonicalIdOf } from '../identity.ts'
import { readProjects, registerProject } from '../ledger/project-registry.ts'
import { type Access, hasKey, isOfThisMachine, type Origin } from './access.ts'
import type { Agent } from './agent.ts'
import { AgentRefusal } from './agent-refusal.ts'
import { runAsked } from './command-route.ts'
import { type ControlAction, control } from './control-route.ts'
import { healthOf, statusOf } from './status-route.ts'

/** A prompt of 512 KiB and its frame. */
const PROMPT_BODY_BYTES = 640 * 1024

/** What the agent answers to, and who may ask [edge#agent]. */
export type AgentRequest = {
  origin: Origin
  query: Readonly<Record<string, string>>
  body: unknown
  requestId: string
}
export type AgentRoute = {
  method: 'GET' | 'POST'
  path: string
  access: Access
  /** 100 KB unless it says otherwise. */
  bodyBytes?: number
  handle: (agent: Agent, request: AgentRequest) => unknown
}

const health: AgentRoute = {
  method: 'GET',
  path: '/health',
  access: 'open',
  handle: (agent, { origin }) =>
    healthOf(agent, isOfThisMachine(origin) || hasKey(origin, agent.loaded.values)),
}

const register: AgentRoute = {
  method: 'POST',
  path: '/register_project',
  access: 'key or this machine',
  handle: (agent, { body }) => registerIn(agent, parse(nodeRegistrationRequest, 'body', body)),
}

const projects: AgentRoute = {
  method: 'GET',
  path: '/projects',
  access: 'key or this machine',
  handle: async (agent) => (await readProjects(agent.registry)).projects,
}

const status: AgentRoute = {
  method: 'GET',
  path: '/status',
  access: 'key',
  handle: (agent, { query }) => statusOf(agent, parse(nodeProjectRequest, 'query', query).project),
}

const doctor: AgentRoute[] = (['GET', 'POST'] as const).map((method) => ({
  method,
  path: '/doctor',
  access: 'key',
  handle: (agent, { query, body, requestId }) => {
    const [place, value] = method === 'GET' ? (['query', query] as const) : (['body', body] as const)
    return runAsked(agent, { action: 'doctor', requestId, ...parse(nodeProjectRequest, place, value) })
  },
}))

const sync = (path: string, action: NodeAction): AgentRoute => ({
  method: 'POST',
  path,
  access: 'key',
  handle: (agent, { body, requestId }) => {
    const { project, no_restart_worker } = parse(nodeSyncRequest, 'body', body)
    return runAsked(agent, { action, project, noRestartWorker: no_restart_worker, requestId })
  },
})

const execute: AgentRoute = {
  method: 'POST',
  path: '/execute-task',
  access: 'key',
  bodyBytes: PROMPT_BODY_BYTES,
  handle: ({ slots }, { body }) => slots.execute(body),
}

const controls = (['restart', 'self-update', 'uninstall'] satisfies ControlAction[]).map(
  (action): AgentRoute => ({
    method: 'POST',
    path: `/${action}`,
    access: 'key',
    handle: (agent) => control(agent, action),
  }),
)

export const AGENT_ROUTES: readonly AgentRoute[] = [
  health,
  register,
  projects,
  status,
  ...doctor,
  sync('/sync/push', 'push'),
  sync('/push', 'push'),
  sync('/sync/pull', 'pull'),
  sync('/pull', 'pull'),
  execute,
  ...controls,
]

async function registerIn(agent: Agent, given: NodeRegistration): Promise<NodeRegistrationAnswer> {
  const { project_id, path, notes } = given
  const canonical_id = given.canonical_id ?? canonicalIdOf(project_id)
  const entry = { project_id, canonical_id, path, notes }
  const { projects, kept } = await registerProject(agent.registry, entry, new Date())
  if (kept)
    agent.log('WARNING', `the registry of projects was not understood and is kept as ${kept}`, { project_id })
  return { ok: true, project_id, canonical_id, projects_count: projects.length }
}

/** What the schema makes of it, or 422 in the list form. */
function parse<S extends z.ZodType>(schema: S, place: 'query' | 'body', value: unknown): z.output<S> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new AgentRefusal(422, fieldFaults({ error: parsed.error, place, value }))
}
