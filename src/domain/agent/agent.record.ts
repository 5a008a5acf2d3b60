import type { AgentEvent } from './agent.machine.ts'

/** What each event of an agent sets beside its state, as `PROPOSAL_RECORD` says it of a proposal ([rebuild#fold]). */
export const AGENT_RECORD = {
  create: ['created_at', 'revision'],
  activate: ['error', 'failed_in_row'],
  pause: ['error', 'failed_in_row'],
  resume: ['error', 'failed_in_row'],
  break: ['error', 'failed_in_row'],
  recover: ['error', 'failed_in_row'],
  archive: ['error', 'failed_in_row'],
  restore: ['error', 'failed_in_row'],
  delete: ['error', 'failed_in_row'],
} as const satisfies Record<AgentEvent, readonly string[]>
