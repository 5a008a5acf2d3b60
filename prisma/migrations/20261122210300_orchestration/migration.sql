-- A schedule is registered with the engine and switched on or off there; what was there before was that of an active agent
-- ([schedules#how-it-works]).
ALTER TABLE agent_schedule ADD COLUMN enabled boolean NOT NULL DEFAULT true;

-- The heads of the queues as before, of agents that are active: jobs of any other agent stay QUEUED until it is active again, or until they
-- are cancelled because it was archived ([jobs#agents]).
CREATE OR REPLACE FUNCTION job_heads(max_rows integer) RETURNS uuid[] LANGUAGE plpgsql STABLE
  SET enable_sort = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE head record; last text := ''; heads uuid[] := '{}'; ages timestamptz[] := '{}'; ranks text[] := '{}';
BEGIN
  LOOP
    SELECT j.agent_slug, j.job_id, j.priority, j.created_at INTO head FROM job j
    WHERE j.status = 'QUEUED' AND j.agent_slug > last ORDER BY j.agent_slug, j.priority, j.created_at, j.job_id LIMIT 1;
    EXIT WHEN NOT FOUND;
    last := head.agent_slug;
    IF NOT EXISTS (SELECT 1 FROM job x WHERE x.agent_slug = last AND x.status IN ('CONTEXT_ASSEMBLY', 'NOTEBOOKLM_CALL', 'ARTIFACT_WRITE'))
      AND NOT EXISTS (SELECT 1 FROM agent a WHERE a.slug = last AND a.status <> 'active') THEN
      heads := heads || head.job_id; ages := ages || head.created_at; ranks := ranks || head.priority;
    END IF;
  END LOOP;
  IF cardinality(heads) <= max_rows THEN RETURN heads; END IF;
  RETURN ARRAY(SELECT h.id FROM unnest(heads, ranks, ages) AS h(id, rank, age) ORDER BY h.rank, h.age LIMIT max_rows);
END $$;
