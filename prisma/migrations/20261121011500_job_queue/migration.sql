-- The heads of the queues: of every idle agent with queued jobs the first by priority and age, found by one leap over the index an agent;
-- a busy lane costs one probe more. Oldest first where there are more than max_rows. The settings pin the plan, because statistics always
-- lag behind a queue.
CREATE FUNCTION job_heads(max_rows integer) RETURNS uuid[] LANGUAGE plpgsql STABLE
  SET enable_sort = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE head record; last text := ''; heads uuid[] := '{}'; ages timestamptz[] := '{}'; ranks text[] := '{}';
BEGIN
  LOOP
    SELECT j.agent_slug, j.job_id, j.priority, j.created_at INTO head FROM job j
    WHERE j.status = 'QUEUED' AND j.agent_slug > last ORDER BY j.agent_slug, j.priority, j.created_at, j.job_id LIMIT 1;
    EXIT WHEN NOT FOUND;
    last := head.agent_slug;
    IF NOT EXISTS (SELECT 1 FROM job x WHERE x.agent_slug = last AND x.status IN ('CONTEXT_ASSEMBLY', 'NOTEBOOKLM_CALL', 'ARTIFACT_WRITE')) THEN
      heads := heads || head.job_id; ages := ages || head.created_at; ranks := ranks || head.priority;
    END IF;
  END LOOP;
  IF cardinality(heads) <= max_rows THEN RETURN heads; END IF;
  RETURN ARRAY(SELECT h.id FROM unnest(heads, ranks, ages) AS h(id, rank, age) ORDER BY h.rank, h.age LIMIT max_rows);
END $$;

-- The jobs that may be admitted: of every active agent, the first `per_agent` that wait.
CREATE FUNCTION job_admissible(per_agent integer) RETURNS uuid[] LANGUAGE plpgsql STABLE
  SET enable_sort = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE last text := ''; found_ids uuid[] := '{}';
BEGIN
  LOOP
    SELECT j.agent_slug INTO last FROM job j WHERE j.status = 'PENDING' AND j.agent_slug > last ORDER BY j.agent_slug LIMIT 1;
    EXIT WHEN NOT FOUND;
    IF EXISTS (SELECT 1 FROM agent a WHERE a.slug = last AND a.status = 'active') THEN
      found_ids := found_ids || ARRAY(SELECT j.job_id FROM job j WHERE j.status = 'PENDING' AND j.agent_slug = last
        ORDER BY j.agent_slug, j.priority, j.created_at, j.job_id LIMIT per_agent);
    END IF;
  END LOOP;
  RETURN found_ids;
END $$;

-- F3, looked up by key from each side: a COMPLETE job finds its artifact, an artifact its COMPLETE job, when the transaction commits.
CREATE OR REPLACE FUNCTION job_artifact_together() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE together boolean;
BEGIN
  IF TG_TABLE_NAME = 'artifact' THEN
    IF NEW.job_id IS NULL THEN RETURN NULL; END IF;
    SELECT j.status = 'COMPLETE' AND j.artifact_id = NEW.artifact_id INTO together FROM job j WHERE j.job_id = NEW.job_id;
  ELSE
    SELECT a.job_id = NEW.job_id INTO together FROM artifact a WHERE a.artifact_id = NEW.artifact_id;
  END IF;
  IF together IS NOT TRUE THEN
    RAISE EXCEPTION 'a job is COMPLETE exactly when its artifact exists' USING ERRCODE = '23514', CONSTRAINT = 'job_artifact_together';
  END IF;
  RETURN NULL;
END $$;
