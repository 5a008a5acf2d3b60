/** The views of the control plane's wire as the console and its API show them: with ISO times instead of seconds. */

import type { AgentView, NodeView, ProjectView, SyncView } from '#contracts/membridge.contract.ts'
import type {
  NodeSync,
  ProjectNode,
  RegisteredAgent,
  RegisteredProject,
} from '#contracts/membridge-console.contract.ts'

const iso = (seconds: number): string => new Date(seconds * 1_000).toISOString()
const isoOrNull = (seconds: number | null): string | null => (seconds === null ? null : iso(seconds))

export const registeredProject = (project: ProjectView): RegisteredProject => ({
  ...project,
  created_at: isoOrNull(project.created_at),
  last_seen: isoOrNull(project.last_seen),
})
export const registeredAgent = (agent: AgentView): RegisteredAgent => ({
  ...agent,
  registered_at: iso(agent.registered_at),
  last_seen: isoOrNull(agent.last_seen),
})
export const projectNode = (node: NodeView): ProjectNode => ({
  ...node,
  last_seen: iso(node.last_seen),
  registered_at: iso(node.registered_at),
})
export const nodeSync = (sync: SyncView): NodeSync => ({
  ...sync,
  created_at: iso(sync.created_at),
  finished_at: isoOrNull(sync.finished_at),
})
