/**
 * The kinds of objects that the ledger is searched for: their rows under the alias `o`, what a hit shows of them, and along which indexes they
 * are found. Every list of rows here is in the order of an index, so that its newest are read without a sort.
 */
import sql, { type Sql } from 'sql-template-tag'
import type { SearchKind } from '#contracts/search.contract.ts'
import { agentMachine } from '#domain/agent/agent.machine.ts'
import type { Action } from '#domain/authority/matrix.ts'
import { type JobState, jobMachine } from '#domain/job/job.machine.ts'
import type { Machine } from '#domain/kernel/machine.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { runMachine } from '#domain/run/run.machine.ts'
import { zoneMachine } from '#domain/zone/zone.machine.ts'
import { like } from '#server/ledger/list.ts'
import { zoneState } from '#server/zones/zone-view.ts'
import type { SearchTerms } from './search-terms.ts'

export type LedgerKind = Exclude<SearchKind, 'note'>

export type SearchedKind = {
  kind: LedgerKind
  right: Action
  machine: Machine | null
  /** `id, title, detail, status, paths` of a row `o`; `paths` is what a zone decides by. */
  shown: Sql
  rows: Sql
  newest: Sql
  /** The texts that a word is looked for in. */
  texts: readonly Sql[]
  /** Which rows a trigram index of those texts holds: all, those in these states, or, where they are never many, none. */
  indexed: 'all' | 'none' | readonly string[]
  /** The rows of these ids, along the index of the ids, and the conditions by which a typed id means a row. */
  isOneOf: (ids: readonly string[]) => Sql
  named: (terms: SearchTerms) => Sql[]
}

const startsWith = (column: Sql, prefix: string, text: string): Sql[] =>
  text.startsWith(prefix) ? [sql`${column} LIKE ${`${like(text)}%`}`] : []

const amongTexts =
  (column: Sql): SearchedKind['isOneOf'] =>
  (ids) =>
    sql`${column} = ANY(${[...ids]}::text[])`

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const UUID_START = /^[0-9a-f]{4,8}(-[0-9a-f-]{0,27})?$/
const LOWEST = '00000000-0000-0000-0000-000000000000'

/** The ids of jobs that begin so: a range, since the column is no text. */
function jobsNamed({ text }: SearchTerms): Sql[] {
  const start = text.toLowerCase()
  if (!UUID_START.test(start)) return []
  const [first, last] = [LOWEST, LOWEST.replaceAll('0', 'f')].map((end) => start + end.slice(start.length))
  return [first, last].every((id) => UUID.test(id ?? ''))
    ? [sql`o.job_id BETWEEN ${first}::uuid AND ${last}::uuid`]
    : []
}

const PROPOSALS: SearchedKind = {
  kind: 'proposal',
  right: 'proposal.read',
  machine: proposalMachine,
  shown: sql`o.proposal_id AS id, o.summary AS title, o.target_path AS detail, o.status, NULL::text[] AS paths`,
  rows: sql`SELECT o.proposal_id, o.summary, o.target_path, o.status, o.created_at FROM proposal o`,
  newest: sql`o.created_at DESC, o.proposal_id DESC`,
  texts: [sql`o.summary`, sql`o.target_path`],
  indexed: 'all',
  isOneOf: amongTexts(sql`o.proposal_id`),
  named: ({ idStart, idEnd }) => [
    ...startsWith(sql`o.proposal_id`, 'prop_', idStart),
    ...(idEnd ? [sql`right(o.proposal_id, 6) = ${idEnd}`] : []),
  ],
}

const JOBS: SearchedKind = {
  kind: 'job',
  right: 'job.read',
  machine: jobMachine,
  shown: sql`o.job_id::text AS id, o.title, o.agent_slug AS detail, o.status, NULL::text[] AS paths`,
  rows: sql`SELECT o.job_id, o.title, o.agent_slug, o.status, o.created_at FROM job o`,
  newest: sql`o.created_at DESC, o.job_id DESC`,
  texts: [sql`o.title`],
  indexed: ['COMPLETE', 'FAILED', 'DEAD'] satisfies JobState[],
  isOneOf: (ids) => sql`o.job_id = ANY(${ids.filter((id) => UUID.test(id))}::uuid[])`,
  named: jobsNamed,
}

const RUNS: SearchedKind = {
  kind: 'run',
  right: 'run.read',
  machine: runMachine,
  shown: sql`o.run_id AS id, coalesce(nullif(o.question, ''), o.summary, o.agent_slug) AS title, o.agent_slug AS detail, o.status, NULL::text[] AS paths`,
  rows: sql`SELECT o.run_id, o.question, o.summary, o.agent_slug, o.status, o.requested_at FROM run o`,
  newest: sql`o.requested_at DESC, o.run_id DESC`,
  texts: [sql`o.question`, sql`o.summary`],
  indexed: runMachine.final,
  isOneOf: amongTexts(sql`o.run_id`),
  named: ({ idStart, idEnd }) => [
    ...startsWith(sql`o.run_id`, 'run_', idStart),
    ...(idEnd ? [sql`right(o.run_id, 6) = ${idEnd}`] : []),
  ],
}

const ARTIFACTS: SearchedKind = {
  kind: 'artifact',
  right: 'artifact.read',
  machine: null,
  shown: sql`o.artifact_id AS id, o.title, o.agent_slug AS detail, NULL::text AS status, o.source_paths AS paths`,
  rows: sql`SELECT o.artifact_id, o.title, o.agent_slug, o.source_paths, o.created_at, l.words FROM artifact o
    JOIN artifact_labels l ON l.artifact_id = o.artifact_id`,
  newest: sql`o.created_at DESC, o.artifact_id DESC`,
  texts: [sql`words`],
  indexed: 'all',
  isOneOf: amongTexts(sql`o.artifact_id`),
  named: ({ text }) => {
    const start = text.toLowerCase()
    return startsWith(sql`o.artifact_id`, 'art-', UUID_START.test(start) ? `art-${start}` : start)
  },
}

const AGENTS: SearchedKind = {
  kind: 'agent',
  right: 'agent.read',
  machine: agentMachine,
  shown: sql`o.slug AS id, o.name AS title, o.slug AS detail, o.status, NULL::text[] AS paths`,
  rows: sql`SELECT o.slug, o.name, o.description, o.status, o.updated_at FROM agent o`,
  newest: sql`o.updated_at DESC, o.slug DESC`,
  texts: [sql`o.name`, sql`o.slug`, sql`o.description`],
  indexed: 'none',
  isOneOf: amongTexts(sql`o.slug`),
  named: ({ text }) => [sql`o.slug = ${text}`],
}

const ZONES: SearchedKind = {
  kind: 'zone',
  right: 'zone.manage',
  machine: zoneMachine,
  shown: sql`o.zone_id AS id, o.name AS title, NULL::text AS detail, o.status, NULL::text[] AS paths`,
  rows: sql`SELECT * FROM (SELECT z.zone_id, z.name, z.description, z.created_at, ${zoneState} AS status FROM zone z) o`,
  newest: sql`o.created_at DESC, o.zone_id DESC`,
  texts: [sql`o.name`, sql`o.description`],
  indexed: 'none',
  isOneOf: amongTexts(sql`o.zone_id`),
  named: ({ text }) =>
    /^[0-9a-f]{4,8}$/i.test(text) ? [sql`o.zone_id LIKE ${`${text.toLowerCase()}%`}`] : [],
}

export const SEARCHED_KINDS: readonly SearchedKind[] = [PROPOSALS, JOBS, RUNS, AGENTS, ARTIFACTS, ZONES]
