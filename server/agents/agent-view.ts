/** Agents as the console and the API show them. */
import sql, { type Sql } from 'sql-template-tag'
import { type AgentCard, agentProblem } from '#contracts/agent.contract.ts'
import { liveCommands } from '#domain/agent/agent.rules.ts'
import { runMachine } from '#domain/run/run.machine.ts'
import { RUNNING, WAITING_STATES } from '#domain/run/run.rules.ts'
import { state, states } from '#server/ledger/states.ts'
import type { AgentRow } from './agent-row.ts'

export type CountedAgent = AgentRow & {
  runs_total: number
  runs_waiting: number
  running: AgentCard['running']
  last_run: AgentCard['running']
}

const runRef = sql`jsonb_build_object('run_id', r.run_id, 'status', r.status,
  'requested_at', to_char(r.requested_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`

/** The columns of an agent `a` with what its runs say. */
export const AGENT_COLUMNS: Sql = sql`a.*,
  (SELECT count(*)::int FROM run r WHERE r.agent_slug = a.slug) AS runs_total,
  (SELECT count(*)::int FROM run r WHERE r.agent_slug = a.slug AND r.status IN ${states(runMachine, ...WAITING_STATES)}) AS runs_waiting,
  (SELECT ${runRef} FROM run r WHERE r.agent_slug = a.slug AND r.status = ${state(runMachine, RUNNING)} LIMIT 1) AS running,
  (SELECT ${runRef} FROM run r WHERE r.agent_slug = a.slug ORDER BY r.requested_at DESC, r.run_id DESC LIMIT 1) AS last_run`

const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((v): v is string => typeof v === 'string') : []

export function agentCard(agent: CountedAgent): AgentCard {
  const problems = agentProblem.array().catch([]).parse(agent.problems)
  const errors = problems.filter((p) => p.severity === 'error').length
  return {
    slug: agent.slug,
    status: agent.status,
    name: agent.name,
    description: agent.description,
    version: agent.version,
    model: agent.model,
    tools: strings(agent.definition.tools),
    safe_outputs: strings(agent.definition.safe_outputs),
    file_status: typeof agent.definition.status === 'string' ? agent.definition.status : null,
    problems,
    failed_in_row: agent.failed_in_row,
    error: agent.error,
    runs_total: agent.runs_total,
    runs_waiting: agent.runs_waiting,
    running: agent.running,
    last_run: agent.last_run,
    allowed: liveCommands({ status: agent.status, errors, running: agent.running ? 1 : 0 }),
    revision: agent.revision,
    updated_at: agent.updated_at.toISOString(),
  }
}
