/**
 * A ledger with so many rows in every list, and a garden for what asks how it stands against it. Rows are made by SQL with the ledger's
 * triggers off, because only reading is measured; the checks of the tables hold all the same.
 */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import sql, { type Sql } from 'sql-template-tag'
import { jobMachine } from '#domain/job/job.machine.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { importGarden } from '#server/adapters/git-repository/import-garden.ts'
import { openGitRepository } from '#server/adapters/git-repository/isomorphic-git.ts'
import { state } from '#server/ledger/states.ts'
import type { GitRepository } from '#server/ports/git-repository.ts'
import { createAgents, openStage, type Stage } from './queue-stage.ts'

export const ROWS = Number(process.env.ROWS ?? 100_000)
const AGENTS = 64
/** Open proposals are few in any garden that somebody looks after. */
const OPEN_EVERY = 500

const agent = sql`'agent-' || lpad((n % ${AGENTS}::int)::text, 4, '0')`
const at = sql`now() - n * interval '7 seconds'`
const rows = sql`generate_series(1, ${ROWS}::int) n`
const hex = (letters: string): Sql => sql`encode(sha256(convert_to(${letters} || n, 'UTF8')), 'hex')`

const FILLS: readonly Sql[] = [
  sql`INSERT INTO inbox_entry (inbox_id, status, source_type, source_identity, action, target, payload, body_digest, correlation_id,
      resolution_kind, resolution_id, received_at, expires_at)
    SELECT 'inbox_2026-11-21_' || lpad(to_hex(n), 12, '0'), 'processed', 'agent', 'agent:' || ${agent}, 'propose-note', 'notes/n' || n || '.md',
      jsonb_build_object('summary', 'Entry ' || n || ' of the garden'), 'd', 'c' || n, 'proposal', 'p', ${at}, now() + interval '1 day' FROM ${rows}`,
  sql`INSERT INTO proposal (proposal_id, status, inbox_entry_id, source_type, source_identity, agent_slug, action, target_type, target_path,
      target_key, summary, changes, content_digest, base_revision, target_hash, created_at, expires_at, git_commit)
    SELECT 'prop_2026-11-21_' || lpad(to_hex(n), 12, '0'), CASE WHEN n % ${OPEN_EVERY}::int = 0 THEN ${state(proposalMachine, 'PENDING')} WHEN n % 3 = 0 THEN ${state(proposalMachine, 'REJECTED')} ELSE ${state(proposalMachine, 'APPLIED')} END,
      'inbox_2026-11-21_' || lpad(to_hex(n), 12, '0'), 'agent', 'agent:' || ${agent}, ${agent}, 'propose-note', 'note', 'notes/n' || n || '.md', 'n' || n,
      'Proposal ' || n || ' of the garden', jsonb_build_array(jsonb_build_object('path', 'n' || n || '.md', 'type', 'create', 'position', NULL, 'unified', 'u',
        'text', 'A text.', 'base_hash', 'absent', 'result_hash', ${hex('r')}, 'additions', 1, 'deletions', 0)),
      ${hex('p')}, 'r', 'absent', ${at}, now() + interval '3 days',
      CASE WHEN n % ${OPEN_EVERY}::int <> 0 AND n % 3 <> 0 THEN left(${hex('c')}, 40) END FROM ${rows}`,
  sql`INSERT INTO run (run_id, status, agent_slug, requested_by, params, steps_completed, requested_at, queued_at, started_at, finished_at, summary)
    SELECT 'run_2026-11-21_' || lpad(n::text, 6, '0') || '_' || lpad(to_hex(n), 6, '0'), 'completed', ${agent}, 'owner',
      jsonb_build_object('question', 'Question ' || n || ' of the garden'), 4, ${at}, ${at}, ${at}, ${at}, 'Done.' FROM ${rows}`,
  sql`INSERT INTO artifact (artifact_id, agent_slug, type, title, object_key, content_sha256, bytes, engine, grounding, source_paths, created_at)
    SELECT 'art-' || gen_random_uuid(), ${agent}, 'RESEARCH_BRIEF', 'Brief ' || n || ' of the garden', 'k' || n, ${hex('a')}, 900,
      '{"id":"extractive","model":null,"version":"1"}', '{"status":"grounded","claims":1,"grounded_claims":1}', ARRAY['n' || n || '.md'], ${at} FROM ${rows}`,
  sql`INSERT INTO event (name, actor, actor_role, resource_type, resource_id, from_status, to_status, ts)
    SELECT 'job.status.update', 'worker', 'service', 'job', 'j' || (n % 20000), ${state(jobMachine, 'QUEUED')}, ${state(jobMachine, 'CONTEXT_ASSEMBLY')}, ${at} FROM ${rows}`,
  sql`INSERT INTO event_seal (seq, event, prev_hash, hash) SELECT id, id, '\\x', '\\x' FROM event`,
  sql`UPDATE event_head SET (seq, low) = (SELECT max(id), max(id) FROM event)`,
]

export type FilledStage = Stage & { garden: GitRepository }

/** Opens a stage of its own and fills it. */
export async function openFilledStage(): Promise<FilledStage> {
  const stage = await openStage()
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'bloom-lists-'))
  const gitdir = path.join(home, 'garden.git')
  const author = { name: 'Bench', email: 'bench@garden-bloom.local' }
  await importGarden(path.resolve('prisma/seed/garden'), gitdir, { author, extraFiles: [] })
  await createAgents(stage.database, AGENTS)
  await stage.database.transaction(async (tx) => {
    await tx.query(sql`SET LOCAL session_replication_role = replica`)
    for (const fill of FILLS) await tx.query(fill)
  })
  await stage.database.pool.query('VACUUM ANALYZE')
  return {
    ...stage,
    garden: await openGitRepository(gitdir),
    async close() {
      await stage.close()
      fs.rmSync(home, { recursive: true, force: true })
    },
  }
}
