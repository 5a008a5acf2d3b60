import type { AgentView } from '#contracts/membridge.contract.ts'
import { agentStatus } from '#domain/membridge/liveness.rules.ts'
import type { Row } from '#server/ledger/rows.ts'
import { seconds, secondsOrNull } from './membridge-rows.ts'

export const AGENT_COLUMNS = [
  'name',
  'url',
  'reported_status',
  'capabilities',
  'agent_version',
  'registered_at',
  'last_seen',
] as const
export type AgentRow = Row<'membridge_agent', (typeof AGENT_COLUMNS)[number]>

/** What readers get of a registered agent, as it is at this moment of the database clock. */
export const agentView = (
  { reported_status, registered_at, last_seen, ...plain }: AgentRow,
  now: Date,
): AgentView => ({
  ...plain,
  status: agentStatus(reported_status, last_seen, now),
  registered_at: seconds(registered_at),
  last_seen: secondsOrNull(last_seen),
})
