/**
 * Who may do what: action × role [auth#authority]. `own` means the part of
 * the caller's zone or of its own objects; a missing role means no. The gate and the console ask this table.
 */
import type { Role } from './caller.ts'

type Grant = true | 'own'

export const ACTIONS = {
  'health.read': { owner: true, operator: true },
  'alert.read': { owner: true, operator: true },
  'alert.acknowledge': { owner: true, operator: true },
  'alert.test': { owner: true },
  'metrics.read': { owner: true, operator: true, service: true },
  'dashboard.read': { owner: true, operator: true },
  'projection.retry': { owner: true, operator: true },
  'inbox.submit': { owner: true, agent: 'own' },
  'inbox.read': { owner: true, operator: true },
  'proposal.read': { owner: true, operator: true, guest: 'own' },
  'proposal.decide': { owner: true },
  'proposal.retry': { owner: true, operator: 'own' },
  'rule.read': { owner: true, operator: true },
  'rule.manage': { owner: true },
  'run.request': { owner: true },
  'run.read': { owner: true, operator: true },
  'run.cancel': { owner: true, operator: true },
  'run.rerun': { owner: true },
  'question.read': { owner: true, operator: true },
  'question.answer': { owner: true },
  'job.submit': { owner: true },
  'job.read': { owner: true, operator: true },
  'job.operate': { owner: true, operator: true },
  'artifact.read': { owner: true, operator: true, guest: 'own' },
  'agent.read': { owner: true, operator: true },
  'agent.change': { owner: true },
  'note.read': { owner: true, operator: true, guest: 'own' },
  /** Where the zone takes suggestions. */
  'note.suggest': { guest: true },
  'search.read': { owner: true, operator: true, guest: 'own' },
  'zone.manage': { owner: true },
  'audit.read': { owner: true, operator: true },
  'settings.read': { owner: true, operator: true },
  'retention.preview': { owner: true },
  'account.manage': { owner: true },
  'key.read': { owner: true, operator: true },
  'key.manage': { owner: true },
  'membridge.read': { owner: true, operator: true },
  'membridge.register': { owner: true, operator: true },
  'membridge.sync': { owner: true, operator: true },
  'node.read': { owner: true, operator: true },
  'node.manage': { owner: true },
  'leadership.read': { owner: true, operator: true },
  'leadership.select': { owner: true, operator: true },
  'leadership.grant': { owner: true },
  'stream.read': { owner: true, operator: true, guest: 'own' },
  'session.own': { owner: true, operator: true, guest: true },
  /** A guest enters, consents and leaves. */
  'session.change': { owner: true, operator: true },
  /** The saved views of one's own account; a guest has none. */
  /** LLM Tasks; a machine acts under the key of the runtime, a node under its own, for its own leases. */
  'task.read': { owner: true, operator: true, service: true },
  'task.submit': { owner: true, operator: true, service: true },
  'task.operate': { owner: true, operator: true, service: true },
  'task.lease': { owner: true, operator: true, service: true, node: 'own' },
  'task.report': { owner: true, operator: true, service: true, node: 'own' },
  'worker.read': { owner: true, operator: true, service: true },
  'worker.register': { owner: true, operator: true, service: true, node: 'own' },
  'worker.operate': { owner: true, operator: true },
  'worker.remove': { owner: true },
  /** Restarting, updating or removing the agent of a worker, and saying where it is called. */
  'worker.control': { owner: true },
  'runtime.test': { owner: true, operator: true, service: true },
  'runtime.configure': { owner: true },
  'view.own': { owner: true, operator: true },
  /** The devices and notifications of one's own account. */
  'push.own': { owner: true, operator: true },
} as const satisfies Record<string, Partial<Record<Role, Grant>>>

export type Action = keyof typeof ACTIONS

/** What the role may do of `action`: all of it, its own part, or nothing. Unknown is nothing. */
export function grantOf(role: Role, action: Action): Grant | false {
  return (ACTIONS[action] as Partial<Record<Role, Grant>>)[role] ?? false
}

/** True when the role may do the action at all; `own` parts are narrowed by the use-case. */
export const may = (role: Role, action: Action): boolean => grantOf(role, action) !== false
