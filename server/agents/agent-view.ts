/** Agents as the console and the API show them. */
import sql from 'sql-template-tag'
import { type AgentCard, agentProblem } from '#contracts/agent.contract.ts'
import { agentMachine } from '#domain/agent/agent.machine.ts'
import { DECISIONS_COUNTED, liveCommands, RUNS_COUNTED } from '#domain/agent/agent.rules.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { runMachine } from '#domain/run/run.machine.ts'
import { RUNNING, WAITING_STATES } from '#domain/run/run.rules.ts'
import type { Db } from '#server/ledger/database.ts'
import type { Row } from '#server/ledger/rows.ts'
import { state, states } from '#server/ledger/states.ts'
import type { AgentExecutors } from '#server/ports/agent-executor.ts'
import { triggersOf } from './agent-file.ts'
import type { AgentRow } from './agent-row.ts'
import { nextSlot, scheduleFault } from './cron-slots.ts'
import { installationProblems } from './judge-definition.ts'

/** What an agent's runs say of it. */
export type RunFacts = Pick<
  AgentCard,
  | 'runs_total'
  | 'runs_waiting'
  | 'running'
  | 'last_run'
  | 'recent_runs'
  | 'proposals_decided'
  | 'proposals_approved'
>

const NO_RUNS: RunFacts = {
  runs_total: 0,
  runs_waiting: 0,
  running: null,
  last_run: null,
  recent_runs: [],
  proposals_decided: 0,
  proposals_approved: 0,
}
const RECENT = 5
const APPROVED = states(proposalMachine, 'APPROVED', 'AUTO_APPROVED', 'APPLYING', 'APPLIED', 'FAILED')
/** As `proposal_track` has them. What an edit or a rebase took the place of was not decided: its successor is. */
const DECIDED = sql`p.decided_at IS NOT NULL AND NOT p.relations ? 'superseded_by'`

const runRef = sql`jsonb_build_object('run_id', r.run_id, 'status', r.status,
  'requested_at', to_char(r.requested_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`

/**
 * What the runs of these agents say, by slug. SQL: counts and the latest run of each agent, in one statement. What grows with every run and every
 * decision is counted along an index and no further than its cap; the runs that wait are read once for all agents.
 */
export async function runFactsOf(db: Db, slugs: readonly string[]): Promise<(slug: string) => RunFacts> {
  if (slugs.length === 0) return () => NO_RUNS
  const { rows } = await db.query<
    Row<'agent', 'slug'> & RunFacts
  >(sql`SELECT a.slug, d.*, coalesce(w.n, 0) AS runs_waiting,
    (SELECT count(*)::int FROM (SELECT FROM run r WHERE r.agent_slug = a.slug
      ORDER BY r.requested_at DESC, r.run_id DESC LIMIT ${RUNS_COUNTED}) c) AS runs_total,
    (SELECT ${runRef} FROM run r WHERE r.agent_slug = a.slug AND r.status = ${state(runMachine, RUNNING)}
      ORDER BY r.parked_at NULLS FIRST LIMIT 1) AS running,
    (SELECT coalesce(jsonb_agg(l.ref), '[]') FROM (SELECT ${runRef} AS ref FROM run r WHERE r.agent_slug = a.slug
      ORDER BY r.requested_at DESC, r.run_id DESC LIMIT ${RECENT}) l) AS recent_runs
    FROM agent a
    LEFT JOIN (SELECT agent_slug, count(*)::int AS n FROM run WHERE status IN ${states(runMachine, ...WAITING_STATES)}
      GROUP BY agent_slug) w ON w.agent_slug = a.slug
    CROSS JOIN LATERAL (SELECT count(*)::int AS proposals_decided, count(*) FILTER (WHERE l.status IN ${APPROVED})::int AS proposals_approved
      FROM (SELECT p.status FROM proposal p WHERE p.agent_slug = a.slug AND ${DECIDED}
        ORDER BY p.decided_at DESC LIMIT ${DECISIONS_COUNTED}) l) d
    WHERE a.slug = ANY(${[...slugs]}::text[])`)
  const found = new Map(
    rows.map(({ slug, ...facts }) => [slug, { ...facts, last_run: facts.recent_runs[0] ?? null }]),
  )
  return (slug) => found.get(slug) ?? NO_RUNS
}

const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((v): v is string => typeof v === 'string') : []

/** Tools that read what others have written. */
const READING: readonly string[] = ['notebooklm-query', 'read-context', 'read-notes', 'search-notes']

export function agentCard(agent: AgentRow, facts: RunFacts, executors: AgentExecutors): AgentCard {
  const tools = strings(agent.definition.tools)
  const stored = agentProblem.array().catch([]).parse(agent.problems)
  const here = installationProblems({ model: agent.model, tools }, '', executors)
  const problems = [...stored, ...here.filter((p) => !stored.some((known) => known.code === p.code))]
  const errors = problems.filter((p) => p.severity === 'error').length
  return {
    slug: agent.slug,
    status: agent.status,
    name: agent.name,
    description: agent.description,
    version: agent.version,
    model: agent.model,
    tools,
    safe_outputs: strings(agent.definition.safe_outputs),
    file_status: typeof agent.definition.status === 'string' ? agent.definition.status : null,
    problems,
    failed_in_row: agent.failed_in_row,
    error: agent.error,
    ...facts,
    tainted: tools.some((tool) => READING.includes(tool)),
    ...schedule(agent),
    allowed: liveCommands({ status: agent.status, errors, running: facts.running ? 1 : 0 }),
    revision: agent.revision,
    updated_at: agent.updated_at.toISOString(),
  }
}

function schedule({ definition, status }: AgentRow): Pick<AgentCard, 'triggers' | 'next_run_at'> {
  const triggers = triggersOf(definition)
  const { cron, zone } = triggers
  const runs = cron !== null && status === agentMachine.events.activate.to && !scheduleFault({ cron, zone })
  const next = runs ? nextSlot({ cron, zone }, new Date()) : null
  return { triggers, next_run_at: next?.toISOString() ?? null }
}
