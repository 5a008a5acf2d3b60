import { z } from 'zod'
import * as wire from '#contracts/membridge-console.contract.ts'
import { ok, type Result } from '#domain/kernel/result.ts'
import { operations, read, write } from '#server/operations/operation.ts'
import { nodeSync, projectNode, registeredAgent, registeredProject } from './console-views.ts'
import { listAgents } from './list-agents.query.ts'
import { listNodes } from './list-nodes.query.ts'
import { listProjects } from './list-projects.query.ts'
import { getSync, listSyncs } from './list-syncs.query.ts'
import { registerAgent, removeAgent } from './register-agent.ts'
import { registerProject, removeProject } from './register-project.ts'
import { askForSync } from './run-sync.ts'

const registrations = {
  projects: read('membridge.read', {
    summary: 'List projects, registered by hand and by heartbeats',
    rest: 'GET /api/v1/membridge/projects',
    output: wire.projectList,
    run: async ({ services }) => ({ items: (await listProjects(services)).map(registeredProject) }),
  }),
  registerProject: write('membridge.register', {
    summary: 'Register a project',
    rest: 'POST /api/v1/membridge/projects',
    status: 201,
    input: wire.newProject,
    output: wire.registeredProject,
    run: async ({ services, caller }, input) =>
      mapped(await registerProject(services, input, caller), registeredProject),
  }),
  removeProject: write('membridge.register', {
    summary: 'Remove the registration of a project; its nodes and objects stay',
    rest: 'DELETE /api/v1/membridge/projects/{name}',
    status: 204,
    input: wire.registration,
    output: z.null(),
    run: ({ services, caller }, input) => removeProject(services, input, caller),
  }),
  agents: read('membridge.read', {
    summary: 'List the registered agents of nodes',
    rest: 'GET /api/v1/membridge/agents',
    output: wire.agentList,
    run: async ({ services }) => ({ items: (await listAgents(services)).map(registeredAgent) }),
  }),
  registerAgent: write('node.manage', {
    summary: 'Register the agent of a node',
    rest: 'POST /api/v1/membridge/agents',
    status: 201,
    stepUp: true,
    input: wire.newAgent,
    output: wire.registeredAgent,
    run: async ({ services, caller }, input) =>
      mapped(await registerAgent(services, input, caller), registeredAgent),
  }),
  removeAgent: write('node.manage', {
    summary: 'Remove the registration of an agent; its node stays known',
    rest: 'DELETE /api/v1/membridge/agents/{name}',
    status: 204,
    stepUp: true,
    input: wire.registration,
    output: z.null(),
    run: ({ services, caller }, input) => removeAgent(services, input, caller),
  }),
  nodes: read('membridge.read', {
    summary: 'List the nodes of a project',
    rest: 'GET /api/v1/membridge/projects/{cid}/nodes',
    input: wire.nodesOfProject,
    output: wire.projectNodes,
    run: async ({ services }, input) => ({ items: (await listNodes(services, input)).map(projectNode) }),
  }),
}

const syncs = {
  syncs: read('membridge.read', {
    summary: 'List pushes and pulls, newest first',
    rest: 'GET /api/v1/membridge/syncs',
    input: wire.syncList,
    output: wire.syncPage,
    run: async ({ services }, input) => {
      const { items, next_cursor } = await listSyncs(services, input)
      return { items: items.map(nodeSync), next_cursor }
    },
  }),
  getSync: read('membridge.read', {
    summary: 'Get a push or a pull',
    rest: 'GET /api/v1/membridge/syncs/{sync_id}',
    input: wire.syncRef,
    output: wire.nodeSync,
    run: async ({ services }, { sync_id }) => mapped(await getSync(services, { id: sync_id }), nodeSync),
  }),
  sync: write('membridge.sync', {
    summary: 'Ask a node for a push or a pull; the control plane carries it out',
    rest: [
      {
        at: 'POST /api/v1/membridge/sync/push',
        fixed: { action: 'push' },
        summary: 'Ask a node to push its database',
      },
      {
        at: 'POST /api/v1/membridge/sync/pull',
        fixed: { action: 'pull' },
        summary: 'Ask a node to pull the database',
      },
    ],
    status: 202,
    input: wire.askSyncRequest,
    output: wire.nodeSync,
    run: async ({ services, caller, correlationId }, input) =>
      mapped(await askForSync(services, { ...input, requestId: correlationId }, caller), nodeSync),
  }),
}

/** What people see and direct of the control plane ([membridge#gateway]). */
export const membridgeOperations = operations('membridge', { ...registrations, ...syncs })

const mapped = <A, B>(result: Result<A>, view: (value: A) => B): Result<B> =>
  result.ok ? ok(view(result.value)) : result
