-- Groups of failures are made of an index alone: a page of it holds some sixty jobs, where each row of job that failed is a page of its own. So what an
-- error says stands in a column: its code, its phase, and its message without ids, addresses and numbers, short enough for an index. Jobs
-- that did not fail have nothing in it, and no entry. A function holds the expressions, because every statement that writes jobs
-- reads the definition of the column anew.
CREATE FUNCTION job_failure(error jsonb) RETURNS text[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN ARRAY[left(error ->> 'code', 100), left(error ->> 'phase', 100),
    left(regexp_replace(regexp_replace(regexp_replace(coalesce(error ->> 'message', ''), 'https?://[^[:space:]"]+', '<url>', 'g'),
      '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-f]{12,}', '<id>', 'g'), '[0-9]+', '<n>', 'g'), 300)];
END $$;
ALTER TABLE job ADD COLUMN failure text[] GENERATED ALWAYS AS (CASE WHEN status IN ('FAILED', 'DEAD') THEN job_failure(error) END) STORED;
DROP INDEX job_failures;
CREATE INDEX job_failures ON job (finished_at DESC, job_id DESC) INCLUDE (status, agent_slug, failure_kind, failure) WHERE status IN ('FAILED', 'DEAD');
