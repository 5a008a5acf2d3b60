-- BLOOM Runtime (server/runtime): LLM Tasks, their leases and attempts, the workers and their breakers.

CREATE TABLE worker_node (
  worker_id          uuid PRIMARY KEY,
  name               text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 128),
  -- Where it says that it is reached; an operator's correction stays, whatever it says later.
  url                text CHECK (char_length(url) <= 2048),
  corrected_url      text CHECK (char_length(corrected_url) <= 2048),
  can_run            boolean NOT NULL,
  max_concurrency    smallint NOT NULL CHECK (max_concurrency BETWEEN 1 AND 32),
  labels             text[] NOT NULL DEFAULT '{}',
  features           jsonb NOT NULL DEFAULT '{}',
  ip_addrs           text[] NOT NULL DEFAULT '{}',
  agent_version      text,
  os_info            text,
  install_method     text,
  -- Kept by the trigger of task_lease alone.
  active_leases      smallint NOT NULL DEFAULT 0 CHECK (active_leases >= 0),
  last_heartbeat_at  timestamptz(3),
  -- When its silence was recorded; null while it is heard.
  offline_at         timestamptz(3),
  drained_at         timestamptz(3),
  drain_reason       text,
  rate_limited_until timestamptz(3),
  removed_at         timestamptz(3),
  created_at         timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  updated_at         timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);
CREATE UNIQUE INDEX worker_node_name ON worker_node (name) WHERE removed_at IS NULL;
CREATE TRIGGER worker_node_no_delete BEFORE DELETE ON worker_node FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TABLE worker_breaker (
  worker_id        uuid PRIMARY KEY REFERENCES worker_node,
  state            text NOT NULL DEFAULT 'closed' CHECK (state IN ('closed', 'open', 'half_open')),
  failures         integer NOT NULL DEFAULT 0 CHECK (failures >= 0),
  cooldown_seconds integer NOT NULL DEFAULT 60 CHECK (cooldown_seconds BETWEEN 60 AND 300),
  open_until       timestamptz(3),
  opened_at        timestamptz(3)[] NOT NULL DEFAULT '{}',
  updated_at       timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT worker_breaker_open CHECK ((state = 'open') = (open_until IS NOT NULL))
);
CREATE INDEX worker_breaker_due ON worker_breaker (open_until) WHERE state = 'open';

CREATE TABLE llm_task (
  task_id           uuid PRIMARY KEY,
  status            text NOT NULL,
  tenant            text NOT NULL,
  -- Who asked for it; an idempotency key is theirs alone.
  caller            text NOT NULL,
  context_id        text NOT NULL CHECK (char_length(context_id) BETWEEN 1 AND 256),
  agent_slug        text NOT NULL CHECK (agent_slug ~ '^[a-z0-9][a-z0-9-]{0,63}$'),
  prompt            text NOT NULL CHECK (octet_length(prompt) BETWEEN 1 AND 524288),
  context_hints     text[] NOT NULL DEFAULT '{}' CHECK (cardinality(context_hints) <= 64),
  timeout_sec       integer NOT NULL CHECK (timeout_sec BETWEEN 1 AND 3600),
  budget            jsonb NOT NULL,
  retry_policy      jsonb NOT NULL,
  required_labels   text[] NOT NULL DEFAULT '{}',
  preferred_labels  text[] NOT NULL DEFAULT '{}',
  allow_fallback    boolean NOT NULL,
  desired_format    text NOT NULL CHECK (desired_format IN ('text', 'json', 'markdown')),
  max_attempts      smallint NOT NULL CHECK (max_attempts BETWEEN 1 AND 10),
  attempts          smallint NOT NULL DEFAULT 0 CHECK (attempts BETWEEN 0 AND max_attempts),
  fence             bigint NOT NULL DEFAULT 0,
  priority          smallint NOT NULL DEFAULT 0 CHECK (priority BETWEEN 0 AND 9),
  structured_input  jsonb,
  attachments       jsonb NOT NULL DEFAULT '[]',
  tracing           jsonb,
  idempotency_key   text CHECK (char_length(idempotency_key) BETWEEN 1 AND 128),
  payload_digest    text NOT NULL,
  run_id            text,
  -- What of the run it is for: a replay asks for the same and gets the same task.
  run_step          text,
  not_before        timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  retry_at          timestamptz(3),
  error_code        text,
  last_error        text,
  wait_reason       text,
  selection         jsonb,
  -- Of the lease that is active, or of the last one once the task has ended.
  lease_id           uuid,
  worker_id          uuid REFERENCES worker_node,
  first_worker_id    uuid REFERENCES worker_node,
  excluded_worker_id uuid REFERENCES worker_node,
  artifact_id       text,
  created_at        timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  ended_at          timestamptz(3),
  updated_at        timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT llm_task_retry CHECK (retry_at IS NULL OR status = 'failed')
);
CREATE INDEX llm_task_newest ON llm_task (created_at DESC, task_id DESC);
CREATE INDEX llm_task_status ON llm_task (status, created_at DESC, task_id DESC);
CREATE INDEX llm_task_due ON llm_task (priority DESC, not_before, task_id) WHERE status = 'queued';
CREATE INDEX llm_task_retries ON llm_task (retry_at) WHERE status = 'failed' AND retry_at IS NOT NULL;
CREATE INDEX llm_task_context ON llm_task (context_id, created_at DESC);
CREATE UNIQUE INDEX llm_task_of_run ON llm_task (run_id, run_step) WHERE run_id IS NOT NULL;
-- A key names one task at a time: one that ended without an answer makes room for another.
CREATE UNIQUE INDEX llm_task_idempotency ON llm_task (caller, idempotency_key)
  WHERE idempotency_key IS NOT NULL AND (status IN ('queued', 'leased', 'running', 'completed') OR retry_at IS NOT NULL);
CREATE TRIGGER llm_task_edge BEFORE INSERT OR UPDATE OF status ON llm_task FOR EACH ROW EXECUTE FUNCTION guard_status();
CREATE TRIGGER llm_task_no_delete BEFORE DELETE ON llm_task FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TABLE task_lease (
  lease_id          uuid PRIMARY KEY,
  status            text NOT NULL,
  task_id           uuid NOT NULL REFERENCES llm_task,
  worker_id         uuid NOT NULL REFERENCES worker_node,
  context_id        text NOT NULL,
  fence             bigint NOT NULL,
  token_hash        bytea NOT NULL UNIQUE,
  ttl_seconds       integer NOT NULL CHECK (ttl_seconds BETWEEN 30 AND 3630),
  timeout_sec       integer NOT NULL,
  selection         jsonb NOT NULL,
  started_at        timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  last_heartbeat_at timestamptz(3),
  expires_at        timestamptz(3) NOT NULL,
  ended_at          timestamptz(3),
  updated_at        timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT task_lease_fence UNIQUE (task_id, fence),
  CONSTRAINT task_lease_end CHECK ((status = 'active') = (ended_at IS NULL))
);
CREATE UNIQUE INDEX task_lease_active ON task_lease (task_id) WHERE status = 'active';
CREATE INDEX task_lease_expiry ON task_lease (expires_at) WHERE status = 'active';
CREATE INDEX task_lease_worker ON task_lease (worker_id, started_at DESC);
CREATE INDEX task_lease_sticky ON task_lease (context_id, worker_id) WHERE status = 'active';
CREATE INDEX task_lease_newest ON task_lease (started_at DESC, lease_id DESC);
CREATE TRIGGER task_lease_edge BEFORE INSERT OR UPDATE OF status ON task_lease FOR EACH ROW EXECUTE FUNCTION guard_status();
CREATE TRIGGER task_lease_no_delete BEFORE DELETE ON task_lease FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- The room of a worker is counted where leases come and go, so no statement can forget it; one more than there is room for is refused, whoever asks.
CREATE FUNCTION count_task_lease() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE worker_node SET active_leases = active_leases + 1
    WHERE worker_id = NEW.worker_id AND active_leases < max_concurrency;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'worker % has no room', NEW.worker_id USING ERRCODE = '23514', CONSTRAINT = 'task_lease_room';
    END IF;
  ELSIF OLD.status = 'active' AND NEW.status <> 'active' THEN
    UPDATE worker_node SET active_leases = active_leases - 1 WHERE worker_id = NEW.worker_id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER task_lease_room AFTER INSERT OR UPDATE OF status ON task_lease FOR EACH ROW EXECUTE FUNCTION count_task_lease();

-- One for each lease: what came of it. The row is made with the lease and written once more, when it ends.
CREATE TABLE task_attempt (
  lease_id          uuid PRIMARY KEY REFERENCES task_lease,
  task_id           uuid NOT NULL REFERENCES llm_task,
  number            smallint NOT NULL,
  dispatched_at     timestamptz(3),
  progress          jsonb,
  tail              text CHECK (octet_length(tail) <= 65536),
  context_report    jsonb,
  outcome           text CHECK (outcome IN ('completed', 'failed', 'expired', 'handed_back', 'canceled')),
  error_code        text,
  error_message     text,
  partial_output    text,
  metrics           jsonb,
  -- Of the report that counted: the same again gets the same answer.
  completion_digest text,
  result            jsonb,
  completed_at      timestamptz(3)
);
CREATE INDEX task_attempt_task ON task_attempt (task_id, number);

-- What the runtime recorded, for its own surface: the newest of all events would be searched for a few.
CREATE INDEX event_runtime ON event (id DESC) WHERE resource_type IN ('task', 'lease', 'worker');

-- What a worker answered becomes an artifact, as what a job made does.
ALTER TABLE artifact ADD COLUMN task_id uuid UNIQUE REFERENCES llm_task;

INSERT INTO state_edge (machine, event, from_status, to_status) VALUES
  ('llm_task', 'create', '', 'queued'),
  ('llm_task', 'lease', 'queued', 'leased'),
  ('llm_task', 'start', 'leased', 'running'),
  ('llm_task', 'succeed', 'leased', 'completed'),
  ('llm_task', 'succeed', 'running', 'completed'),
  ('llm_task', 'fail', 'leased', 'failed'),
  ('llm_task', 'fail', 'running', 'failed'),
  ('llm_task', 'retry', 'failed', 'queued'),
  ('llm_task', 'bury', 'failed', 'dead'),
  ('llm_task', 'expire', 'leased', 'queued'),
  ('llm_task', 'expire', 'running', 'queued'),
  ('llm_task', 'expire_dead', 'leased', 'dead'),
  ('llm_task', 'expire_dead', 'running', 'dead'),
  ('llm_task', 'hand_back', 'leased', 'queued'),
  ('llm_task', 'requeue', 'failed', 'queued'),
  ('llm_task', 'requeue', 'dead', 'queued'),
  ('llm_task', 'cancel', 'queued', 'failed'),
  ('llm_task', 'cancel', 'leased', 'failed'),
  ('llm_task', 'cancel', 'running', 'failed'),
  ('llm_task', 'cancel', 'failed', 'failed'),
  ('task_lease', 'grant', '', 'active'),
  ('task_lease', 'renew', 'active', 'active'),
  ('task_lease', 'expire', 'active', 'expired'),
  ('task_lease', 'release', 'active', 'released'),
  ('task_lease', 'fail', 'active', 'failed');
