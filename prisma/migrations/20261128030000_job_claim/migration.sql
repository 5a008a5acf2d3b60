-- Admission and claim as one call: both transitions, J2 and J4, in one transaction and one round trip, whose plans are kept. An idle worker that is
-- told of a job starts it after one commit. The statements are those that the ledger makes of every transition; a test compares what they do.
-- Plans are generic and pinned to the indexes (see job_heads): rows are named by their keys, so no statistics could lead to a better one, and
-- one that was made for an empty table serves a full one.
-- Returns the jobs that were claimed, each with how many were admitted; where none was claimed, one row without a job.
CREATE FUNCTION job_claim(by_holder text, places integer, of_node text, lease_seconds integer, phase_seconds integer)
  RETURNS TABLE (admitted integer, job_id uuid, status text, job_type text, agent_slug text, run_id text, payload jsonb,
    reserved_artifact_id text, attempt integer, max_attempts integer, fence bigint, claimed_at timestamptz) LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off
  SET enable_hashjoin = off SET enable_mergejoin = off AS $$
#variable_conflict use_column
DECLARE
  -- Waiting jobs of one agent that one round looks at, so that a large pile leaves room for the others, and jobs admitted in one round.
  per_agent CONSTANT integer := 64;
  at_once CONSTANT integer := 256;
  waiting uuid[] := job_admissible(per_agent);
  heads uuid[];
  claimed boolean := false;
BEGIN
  admitted := 0;
  IF cardinality(waiting) > 0 THEN
    WITH o AS MATERIALIZED (
      SELECT o.job_id AS row_key, o.status AS from_status FROM job o
      WHERE (o.status IN ('PENDING')) IS TRUE AND o.job_id = ANY(waiting)
      ORDER BY o.priority, o.created_at, o.job_id LIMIT at_once FOR UPDATE OF o SKIP LOCKED
    ), moved AS (
      UPDATE job t SET status = 'QUEUED', updated_at = clock_timestamp() FROM o WHERE t.job_id = o.row_key
      RETURNING t.*, o.from_status
    )
    INSERT INTO event (name, actor, actor_role, via, resource_type, resource_id, transition, from_status, to_status, node, refs, details)
    SELECT 'job.status.update', 'orchestration-layer', 'service', 'system', 'job', m.job_id::text, 'admit', m.from_status, m.status, of_node,
      jsonb_strip_nulls(jsonb_build_object('job_id', m.job_id, 'run_id', m.run_id, 'inbox_id', m.inbox_entry_id, 'agent', m.agent_slug,
        'artifact_id', m.artifact_id)), jsonb_build_object('attempt', m.attempt, 'fence', m.fence)
    FROM moved m;
    GET DIAGNOSTICS admitted = ROW_COUNT;
  END IF;
  heads := job_heads(places);
  IF cardinality(heads) > 0 THEN
    RETURN QUERY WITH o AS MATERIALIZED (
      SELECT o.job_id AS row_key, o.status AS from_status FROM job o
      WHERE (o.status IN ('QUEUED')) IS TRUE AND o.job_id = ANY(heads)
      ORDER BY o.priority, o.created_at, o.job_id LIMIT places FOR UPDATE OF o SKIP LOCKED
    ), moved AS (
      UPDATE job t SET status = 'CONTEXT_ASSEMBLY', updated_at = clock_timestamp(), fence = t.fence + 1, lease_holder = by_holder,
        lease_expires_at = clock_timestamp() + make_interval(secs => lease_seconds),
        phase_deadline = clock_timestamp() + make_interval(secs => phase_seconds), not_before = NULL, wait_reason = NULL, wait_blocker = NULL
      FROM o WHERE t.job_id = o.row_key
      RETURNING t.*, o.from_status
    ), recorded AS (
      INSERT INTO event (name, actor, actor_role, via, resource_type, resource_id, transition, from_status, to_status, node, refs, details)
      SELECT 'job.status.update', 'orchestration-layer', 'service', 'system', 'job', m.job_id::text, 'pick_up', m.from_status, m.status, of_node,
        jsonb_strip_nulls(jsonb_build_object('job_id', m.job_id, 'run_id', m.run_id, 'inbox_id', m.inbox_entry_id, 'agent', m.agent_slug,
          'artifact_id', m.artifact_id)), jsonb_build_object('attempt', m.attempt, 'fence', m.fence)
      FROM moved m
    )
    SELECT admitted, m.job_id, m.status, m.job_type, m.agent_slug, m.run_id, m.payload, m.reserved_artifact_id, m.attempt, m.max_attempts,
      m.fence, clock_timestamp() FROM moved m;
    claimed := FOUND;
  END IF;
  IF NOT claimed THEN
    RETURN NEXT;
  END IF;
END $$;
