-- What may be claimed and admitted, each as one statement of leaps over an index of the queue: of every agent the next row behind the last one.
-- Each leap names the whole order of its index. By a part of it another index gives the same order (job_agent: agent_slug), and where the
-- statistics say that most jobs wait, the planner takes that one and reads every job that ever was. The settings pin the plan for the
-- same reason: statistics always lag behind a queue.

-- The heads of the queues: of every active agent without a job at work the first by priority and age, oldest first.
CREATE OR REPLACE FUNCTION job_heads(max_rows integer) RETURNS uuid[] LANGUAGE plpgsql STABLE
  SET enable_sort = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
  RETURN ARRAY(WITH RECURSIVE head AS (
      (SELECT j.agent_slug, j.job_id, j.priority, j.created_at FROM job j WHERE j.status = 'QUEUED'
        ORDER BY j.agent_slug, j.priority, j.created_at, j.job_id LIMIT 1)
      UNION ALL
      SELECT n.* FROM head h CROSS JOIN LATERAL (
        SELECT j.agent_slug, j.job_id, j.priority, j.created_at FROM job j WHERE j.status = 'QUEUED' AND j.agent_slug > h.agent_slug
        ORDER BY j.agent_slug, j.priority, j.created_at, j.job_id LIMIT 1) n)
    SELECT h.job_id FROM head h
    WHERE NOT EXISTS (SELECT 1 FROM job x WHERE x.agent_slug = h.agent_slug AND x.status IN ('CONTEXT_ASSEMBLY', 'NOTEBOOKLM_CALL', 'ARTIFACT_WRITE'))
      AND NOT EXISTS (SELECT 1 FROM agent a WHERE a.slug = h.agent_slug AND a.status <> 'active')
    ORDER BY h.priority, h.created_at LIMIT max_rows);
END $$;

-- The jobs that may be admitted: of every active agent, the first `per_agent` that wait.
CREATE OR REPLACE FUNCTION job_admissible(per_agent integer) RETURNS uuid[] LANGUAGE plpgsql STABLE
  SET enable_sort = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
  RETURN ARRAY(WITH RECURSIVE waiting AS (
      (SELECT j.agent_slug FROM job j WHERE j.status = 'PENDING'
        ORDER BY j.agent_slug, j.priority, j.created_at, j.job_id LIMIT 1)
      UNION ALL
      SELECT n.* FROM waiting w CROSS JOIN LATERAL (
        SELECT j.agent_slug FROM job j WHERE j.status = 'PENDING' AND j.agent_slug > w.agent_slug
        ORDER BY j.agent_slug, j.priority, j.created_at, j.job_id LIMIT 1) n)
    SELECT f.job_id FROM waiting w CROSS JOIN LATERAL (
      SELECT j.job_id FROM job j WHERE j.status = 'PENDING' AND j.agent_slug = w.agent_slug
      ORDER BY j.agent_slug, j.priority, j.created_at, j.job_id LIMIT per_agent) f
    WHERE EXISTS (SELECT 1 FROM agent a WHERE a.slug = w.agent_slug AND a.status = 'active'));
END $$;
