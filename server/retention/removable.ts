import sql, { empty, type Sql } from 'sql-template-tag'
import { inboxMachine } from '#domain/inbox/inbox.machine.ts'
import { ACTIVE_JOB_STATES, jobMachine } from '#domain/job/job.machine.ts'
import { proposalMachine } from '#domain/proposal/proposal.machine.ts'
import { runMachine } from '#domain/run/run.machine.ts'
import { state, states } from '#server/ledger/states.ts'

/** Proposals that count: applied, or still on their way to it. What was rejected, discarded or has expired cites for nobody. */
const LIVE_PROPOSAL = sql`p.status NOT IN ${states(proposalMachine, 'REJECTED', 'DISCARDED', 'EXPIRED')}`
const OPEN_RUN = sql`r.status IN ${states(runMachine, 'requested', 'queued', 'running')}`
const OPEN_JOB = sql`j.status IN ${states(jobMachine, 'PENDING', 'QUEUED', 'RETRY_BACKOFF', ...ACTIVE_JOB_STATES)}`

/** Ids of artifacts as they stand in texts and documents: whatever mentions one may cite it. */
const MENTION = 'art-[0-9a-fA-F-]{36}'

/** Of artifacts that were removable at `asOf`, to look again before they go. */
type Again = { ids: readonly string[]; asOf: Date }
/** A change bears the time of its statement and is seen from its commit on. */
const OVERLAP = sql`interval '10 minutes'`

/**
 * The artifacts that retention may remove, as the common table `removable`: older than so many days at `now`, not removed yet, and neither
 * mentioned by a proposal that is applied or open, by an open entry, run or job, nor made by or for the run of one of them. Applied proposals grow
 * without end, so the texts of all of them are read once, and for a second look those of what has changed since.
 */
export const removable = (days: number, now: Date, again?: Again): Sql => sql`WITH mentioning AS (
      SELECT concat_ws(' ', p.target_path, p.summary, p.reasoning, p.changes, p.citations, p.entity_refs, p.relations) AS said
        FROM proposal p WHERE ${LIVE_PROPOSAL}${again ? sql` AND p.updated_at > ${again.asOf}::timestamptz - ${OVERLAP}` : empty}
      UNION ALL SELECT concat_ws(' ', e.target, e.payload) FROM inbox_entry e WHERE e.status = ${state(inboxMachine, 'pending')}
      UNION ALL SELECT concat_ws(' ', r.params, r.waiting_on) FROM run r WHERE ${OPEN_RUN}
      UNION ALL SELECT s.output::text FROM run_step s JOIN run r ON r.run_id = s.run_id AND ${OPEN_RUN}
      UNION ALL SELECT c.outcome::text FROM run_call c JOIN run r ON r.run_id = c.run_id AND ${OPEN_RUN}
      UNION ALL SELECT j.payload::text FROM job j WHERE ${OPEN_JOB}),
    mentioned AS (SELECT DISTINCT lower(m[1]) AS artifact_id FROM mentioning, regexp_matches(said, ${`(${MENTION})`}, 'g') AS m),
    working AS (
      SELECT p.run_id FROM proposal p WHERE p.run_id IS NOT NULL AND ${LIVE_PROPOSAL}
      UNION SELECT r.run_id FROM run r WHERE ${OPEN_RUN}),
    removable AS (SELECT a.artifact_id, a.object_key, a.content_sha256, a.bytes, a.title, a.agent_slug, a.created_at FROM artifact a
      WHERE a.created_at < ${now}::timestamptz - make_interval(days => ${days})${again ? sql` AND a.artifact_id = ANY(${[...again.ids]})` : empty}
        AND NOT EXISTS (SELECT FROM artifact_removal x WHERE x.artifact_id = a.artifact_id)
        AND NOT EXISTS (SELECT FROM mentioned m WHERE m.artifact_id = a.artifact_id)
        AND NOT EXISTS (SELECT FROM working w WHERE w.run_id = a.run_id)
        AND NOT EXISTS (SELECT FROM working w JOIN run_call c ON c.run_id = w.run_id WHERE c.job_id = a.job_id))`
