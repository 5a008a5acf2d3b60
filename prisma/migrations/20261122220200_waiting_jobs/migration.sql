-- Retries by agent: those that wait for an agent which was archived are found by it, however many others wait ([jobs#agents]).
CREATE INDEX job_backoff_agent ON job (agent_slug, job_id) WHERE status = 'RETRY_BACKOFF';
