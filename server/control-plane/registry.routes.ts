import { z } from 'zod'
import {
  agentView,
  heartbeatAnswer,
  heartbeatRequest,
  nameRef,
  nodeView,
  projectRef,
  projectView,
  registerAgentRequest,
  registerProjectRequest,
} from '#contracts/membridge.contract.ts'
import type { Refusal } from '#domain/kernel/errors.ts'
import { ok, refuse } from '#domain/kernel/result.ts'
import { type Route, route } from '#server/http/route.ts'
import { listAgents } from '#server/membridge/list-agents.query.ts'
import { listNodes } from '#server/membridge/list-nodes.query.ts'
import { listProjects } from '#server/membridge/list-projects.query.ts'
import { recordHeartbeat } from '#server/membridge/record-heartbeat.ts'
import { registerAgent, removeAgent } from '#server/membridge/register-agent.ts'
import { registerProject, removeProject } from '#server/membridge/register-project.ts'

const policy = { key: 'admin' } as const
const OTHER_NODE: Refusal = { code: 'AUTH_REQUIRED', message: 'This key belongs to another node.' }

const projects: Route[] = [
  route({
    ...{ at: 'GET /projects', policy, tag: 'Projects' },
    summary: 'List projects, registered by hand and by heartbeats',
    output: z.array(projectView),
    run: ({ services }) => listProjects(services),
  }),
  route({
    ...{ at: 'POST /projects', policy, tag: 'Projects', status: 201 },
    summary: 'Register a project',
    input: registerProjectRequest,
    output: projectView,
    run: ({ services, caller }, input) => registerProject(services, input, caller),
  }),
  route({
    ...{ at: 'DELETE /projects/{name}', policy, tag: 'Projects', status: 204 },
    summary: 'Remove the registration of a project; its nodes and objects stay',
    input: nameRef,
    output: z.null(),
    run: ({ services, caller }, input) => removeProject(services, input, caller),
  }),
]

const agents: Route[] = [
  route({
    ...{ at: 'GET /agents', policy, tag: 'Agents' },
    summary: 'List registered agents',
    output: z.array(agentView),
    run: ({ services }) => listAgents(services),
  }),
  route({
    ...{ at: 'POST /agents', policy, tag: 'Agents', status: 201 },
    summary: 'Register the agent of a node',
    input: registerAgentRequest,
    output: agentView,
    run: ({ services, caller }, input) => registerAgent(services, input, caller),
  }),
  route({
    ...{ at: 'DELETE /agents/{name}', policy, tag: 'Agents', status: 204 },
    summary: 'Remove the registration of an agent',
    input: nameRef,
    output: z.null(),
    run: ({ services, caller }, input) => removeAgent(services, input, caller),
  }),
]

const nodes: Route[] = [
  route({
    ...{ at: 'POST /agent/heartbeat', policy: { key: 'admin-or-node' }, tag: 'Nodes' },
    summary: 'Report that a node is there',
    input: heartbeatRequest,
    output: heartbeatAnswer,
    run: async ({ services, caller }, beat) => {
      const adminKey = caller.role !== 'node'
      if (!adminKey && caller.identity !== `node:${beat.node_id}`) return refuse(OTHER_NODE)
      return ok(await recordHeartbeat(services, { ...beat, adminKey }, caller))
    },
  }),
  route({
    ...{ at: 'GET /projects/{cid}/nodes', policy, tag: 'Nodes' },
    summary: 'List the nodes of a project',
    input: projectRef,
    output: z.array(nodeView),
    run: ({ services }, input) => listNodes(services, input),
  }),
]

/** Projects, agents and nodes, under the admin key ([membridge#wire]); a node beats under its own, or still under the admin key, which is noted. */
export const REGISTRY_ROUTES: readonly Route[] = [...projects, ...agents, ...nodes]
