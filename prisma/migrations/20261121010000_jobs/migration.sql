-- Jobs: what the worker's loops read, and the frozen sets of bulk commands.

-- When the Orchestration Layer next asks the NotebookLM Backend how far it is; a callback pulls it to now.
ALTER TABLE job ADD COLUMN poll_at timestamptz(3);
-- The short text that lists show and search, set once by the submitter.
ALTER TABLE job ADD COLUMN title text NOT NULL DEFAULT '' CHECK (char_length(title) <= 160);

CREATE INDEX job_poll ON job (poll_at) WHERE status = 'NOTEBOOKLM_CALL';
-- Waiting jobs are taken agent by agent, so that a paused agent's pile costs the others nothing.
DROP INDEX job_pending;
CREATE INDEX job_pending ON job (agent_slug, priority, created_at, job_id) WHERE status = 'PENDING';
CREATE INDEX job_failures ON job (finished_at DESC, job_id DESC) WHERE status IN ('FAILED', 'DEAD');

-- A previewed bulk command: the set it froze, for one person, once, for ten minutes.
CREATE TABLE job_bulk (
  token_hash text PRIMARY KEY,
  action     text NOT NULL CHECK (action IN ('cancel', 'fail', 'requeue')),
  identity   text NOT NULL,
  job_ids    uuid[] NOT NULL CHECK (cardinality(job_ids) BETWEEN 1 AND 1000),
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  expires_at timestamptz(3) NOT NULL DEFAULT clock_timestamp() + interval '10 minutes',
  used_at    timestamptz(3)
);
CREATE INDEX job_bulk_expiry ON job_bulk (expires_at);

-- The message ids of callbacks that were taken, kept a day: a repeat has no second effect.
CREATE TABLE job_callback (
  message_id  text PRIMARY KEY,
  job_id      uuid NOT NULL,
  received_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX job_callback_age ON job_callback (received_at);
