/** Agents as the console and the API show them. */
import sql from 'sql-template-tag'
import { type AgentCard, agentProblem } from '#contracts/agent.contract.ts'
import { liveCommands } from '#domain/agent/agent.rules.ts'
import { runMachine } from '#domain/run/run.machine.ts'
import { RUNNING, WAITING_STATES } from '#domain/run/run.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import { state, states } from '#server/ledger/states.ts'
import type { AgentRow } from './agent-row.ts'

/** What an agent's runs say of it. */
export type RunFacts = Pick<AgentCard, 'runs_total' | 'runs_waiting' | 'running' | 'last_run'>

const NO_RUNS: RunFacts = { runs_total: 0, runs_waiting: 0, running: null, last_run: null }

const runRef = sql`jsonb_build_object('run_id', r.run_id, 'status', r.status,
  'requested_at', to_char(r.requested_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`

/** What the runs of these agents say, by slug. SQL: counts and the latest run of each agent, in one statement. */
export async function runFactsOf(db: Db, slugs: readonly string[]): Promise<(slug: string) => RunFacts> {
  const { rows } = await db.query<Row<'agent', 'slug'> & RunFacts>(sql`SELECT a.slug,
    (SELECT count(*)::int FROM run r WHERE r.agent_slug = a.slug) AS runs_total,
    (SELECT count(*)::int FROM run r WHERE r.agent_slug = a.slug AND r.status IN ${states(runMachine, ...WAITING_STATES)}) AS runs_waiting,
    (SELECT ${runRef} FROM run r WHERE r.agent_slug = a.slug AND r.status = ${state(runMachine, RUNNING)} LIMIT 1) AS running,
    (SELECT ${runRef} FROM run r WHERE r.agent_slug = a.slug ORDER BY r.requested_at DESC, r.run_id DESC LIMIT 1) AS last_run
    FROM agent a WHERE a.slug = ANY(${[...slugs]}::text[])`)
  const found = new Map(rows.map(({ slug, ...facts }) => [slug, facts]))
  return (slug) => found.get(slug) ?? NO_RUNS
}

const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((v): v is string => typeof v === 'string') : []

export function agentCard(agent: AgentRow, facts: RunFacts): AgentCard {
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
    ...facts,
    allowed: liveCommands({ status: agent.status, errors, running: facts.running ? 1 : 0 }),
    revision: agent.revision,
    updated_at: agent.updated_at.toISOString(),
  }
}
