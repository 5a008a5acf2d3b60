/**
 * So many rows in every list, made by SQL with the ledger's triggers off (which takes a superuser): operations would need hours.
 * The checks of the tables hold all the same. Row n of one list belongs to row n of the others.
 */
import sql, { type Sql } from 'sql-template-tag'
import { jobMachine } from '#domain/job/job.machine.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { state, states } from '#server/ledger/states.ts'

export type Size = {
  count: number
  /** Slugs that the rows belong to, in turn. */
  agents: readonly string[]
  /** The revision that proposals were made against. */
  revision: string
}

/** The states that rows are given, as SQL. */
const of = {
  PENDING: state(proposalMachine, 'PENDING'),
  APPLYING: state(proposalMachine, 'APPLYING'),
  APPLIED: state(proposalMachine, 'APPLIED'),
  REJECTED: state(proposalMachine, 'REJECTED'),
  QUEUED: state(jobMachine, 'QUEUED'),
  NOTEBOOKLM_CALL: state(jobMachine, 'NOTEBOOKLM_CALL'),
  RETRY_BACKOFF: state(jobMachine, 'RETRY_BACKOFF'),
  COMPLETE: state(jobMachine, 'COMPLETE'),
  FAILED: state(jobMachine, 'FAILED'),
  DEAD: state(jobMachine, 'DEAD'),
}
const FAILED_OR_DEAD = states(jobMachine, 'FAILED', 'DEAD')

/** Open proposals are few in any garden that somebody looks after. */
const OPEN_EVERY = 500
const decided = sql`n % ${OPEN_EVERY}::int <> 0`

const at = sql`now() - n * interval '7 seconds'`
const jobId = sql`md5('job' || n)::uuid`
const artifactId = sql`'art-' || md5('artifact' || n)::uuid`
const runId = sql`'run_2026-11-21_' || lpad(n::text, 6, '0') || '_' || lpad(to_hex(n), 6, '0')`
const hex = (letters: string): Sql => sql`encode(sha256(convert_to(${letters} || n, 'UTF8')), 'hex')`
const rowsOf = ({ count }: Size): Sql => sql`generate_series(1, ${count}::int) n`
const agentOf = ({ agents }: Size): Sql => sql`(${[...agents]}::text[])[1 + n % ${agents.length}::int]`

/** Inbox entries and the proposals that they became. */
export const proposalRows = (size: Size): Sql[] => {
  const [agent, rows] = [agentOf(size), rowsOf(size)]
  return [
    sql`INSERT INTO inbox_entry (inbox_id, status, source_type, source_identity, action, target, payload, body_digest, correlation_id,
        resolution_kind, resolution_id, received_at, expires_at)
      SELECT 'inbox_2026-11-21_' || lpad(to_hex(n), 12, '0'), 'processed', 'agent', 'agent:' || ${agent}, 'propose-note', 'notes/n' || n || '.md',
        jsonb_build_object('summary', 'Entry ' || n || ' of the garden'), 'd', 'c' || n, 'proposal', 'prop_2026-11-21_' || lpad(to_hex(n), 12, '0'), ${at}, now() + interval '1 day' FROM ${rows}`,
    sql`INSERT INTO proposal (proposal_id, status, inbox_entry_id, source_type, source_identity, agent_slug, action, target_type, target_path,
        target_key, summary, changes, content_digest, base_revision, target_hash, created_at, expires_at, decided_by, decided_at, decision_mode, git_commit)
      SELECT 'prop_2026-11-21_' || lpad(to_hex(n), 12, '0'), CASE WHEN n % ${OPEN_EVERY}::int = 0 THEN ${of.PENDING} WHEN n % 3 = 0 THEN ${of.REJECTED} ELSE ${of.APPLIED} END,
        'inbox_2026-11-21_' || lpad(to_hex(n), 12, '0'), 'agent', 'agent:' || ${agent}, ${agent}, 'propose-note', 'note', 'notes/n' || n || '.md', 'n' || n,
        'Proposal ' || n || ' of the garden', jsonb_build_array(jsonb_build_object('path', 'n' || n || '.md', 'type', 'create', 'position', NULL, 'unified', 'u',
          'text', 'A text.', 'base_hash', 'absent', 'result_hash', ${hex('r')}, 'additions', 1, 'deletions', 0)),
        ${hex('p')}, ${size.revision}, 'absent', ${at}, now() + interval '3 days',
        CASE WHEN ${decided} THEN 'owner' END, CASE WHEN ${decided} THEN ${at} END, CASE WHEN ${decided} THEN 'manual' END,
        CASE WHEN ${decided} AND n % 3 <> 0 THEN left(${hex('c')}, 40) END FROM ${rows}`,
  ]
}

/** The lists of inbox, proposals, runs and artifacts. */
export const listRows = (size: Size): Sql[] => {
  const [agent, rows] = [agentOf(size), rowsOf(size)]
  return [
    ...proposalRows(size),
    sql`INSERT INTO run (run_id, status, agent_slug, requested_by, params, steps_completed, requested_at, queued_at, started_at, finished_at, summary)
      SELECT ${runId}, 'completed', ${agent}, 'owner',
        jsonb_build_object('question', 'Question ' || n || ' of the garden'), 4, ${at}, ${at}, ${at}, ${at}, 'Done.' FROM ${rows}`,
    sql`INSERT INTO artifact (artifact_id, agent_slug, type, title, object_key, content_sha256, bytes, engine, grounding, source_paths, created_at)
      SELECT ${artifactId}, ${agent}, 'RESEARCH_BRIEF', 'Brief ' || n || ' of the garden', 'k' || n, ${hex('a')}, 900,
        '{"id":"extractive","model":null,"version":"1"}', '{"status":"grounded","claims":1,"grounded_claims":1}', ARRAY['n' || n || '.md'], ${at} FROM ${rows}`,
    sql`INSERT INTO artifact_labels (artifact_id, tags, words) SELECT artifact_id, tags, artifact_words(title, tags) FROM artifact ON CONFLICT DO NOTHING`,
  ]
}

/** The list of jobs: most are done, some failed or dead, few wait. */
export const jobRows = (size: Size): Sql =>
  sql`INSERT INTO job (job_id, status, job_type, agent_slug, requested_by, payload, payload_digest, reserved_artifact_id, title,
      created_at, artifact_id, failure_kind, not_before, error, finished_at)
    SELECT ${jobId}, s, 'RESEARCH', ${agentOf(size)}, 'owner', '{"query": "q"}', 'd', ${artifactId},
      'Question ' || n || ' of the garden', ${at}, CASE s WHEN ${of.COMPLETE} THEN ${artifactId} END,
      CASE WHEN s IN ${FAILED_OR_DEAD} THEN 'operator' END, CASE s WHEN ${of.RETRY_BACKOFF} THEN now() END,
      CASE WHEN s IN ${FAILED_OR_DEAD} THEN jsonb_build_object('code', 'NLM_UNAVAILABLE', 'phase', ${of.NOTEBOOKLM_CALL}, 'message', 'no answer after ' || n || ' s') END,
      now()
    FROM (SELECT n, CASE WHEN n % 50 = 0 THEN ${of.DEAD} WHEN n % 40 = 0 THEN ${of.FAILED} WHEN n % 500 = 1 THEN ${of.QUEUED} WHEN n % 5000 = 2 THEN ${of.RETRY_BACKOFF}
      ELSE ${of.COMPLETE} END AS s FROM ${rowsOf(size)}) t`

/** The last word of every row, as the audit and the histories show it: oldest first. */
export const eventRows = (): Sql =>
  sql`INSERT INTO event (name, actor, actor_role, resource_type, resource_id, transition, from_status, to_status, ts, refs)
    SELECT name, 'orchestration-layer', 'service', resource, id, transition, from_status, to_status, ts, jsonb_strip_nulls(refs) FROM (
      SELECT 'inbox.processed' AS name, 'inbox' AS resource, inbox_id AS id, 'resolve' AS transition, 'pending' AS from_status, status AS to_status,
        received_at AS ts, jsonb_build_object('inbox_id', inbox_id) AS refs FROM inbox_entry
      UNION ALL SELECT CASE status WHEN ${of.APPLIED} THEN 'proposal.applied' WHEN ${of.REJECTED} THEN 'proposal.rejected' ELSE 'proposal.created' END, 'proposal', proposal_id,
        CASE status WHEN ${of.APPLIED} THEN 'applied' WHEN ${of.REJECTED} THEN 'reject' ELSE 'create' END,
        CASE status WHEN ${of.APPLIED} THEN ${of.APPLYING} WHEN ${of.REJECTED} THEN ${of.PENDING} END, status, created_at,
        jsonb_build_object('proposal_id', proposal_id, 'inbox_id', inbox_entry_id, 'agent', agent_slug) FROM proposal
      UNION ALL SELECT 'run.completed', 'run', run_id, 'complete', 'running', status, finished_at, jsonb_build_object('run_id', run_id, 'agent', agent_slug) FROM run
      UNION ALL SELECT 'artifact.created', 'artifact', artifact_id, NULL, NULL, NULL, created_at, jsonb_build_object('artifact_id', artifact_id, 'agent', agent_slug) FROM artifact
      UNION ALL SELECT 'job.status.update', 'job', job_id::text, e.event, e.from_status, j.status, created_at,
        jsonb_build_object('job_id', job_id, 'agent', agent_slug, 'artifact_id', artifact_id)
        FROM job j JOIN LATERAL (SELECT event, nullif(from_status, '') AS from_status FROM state_edge WHERE machine = 'job' AND to_status = j.status ORDER BY event LIMIT 1) e ON true
    ) entries ORDER BY ts`
