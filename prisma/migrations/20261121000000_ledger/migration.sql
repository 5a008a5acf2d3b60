-- The ledger: one append-only event table is audit, history and outbox at once; every machine's edges are rows of
-- state_edge, and a trigger refuses any other edge whoever writes.

CREATE TABLE state_edge (
  machine     text NOT NULL,
  event       text NOT NULL,
  from_status text NOT NULL,           -- '' marks creation
  to_status   text NOT NULL,
  PRIMARY KEY (machine, from_status, to_status, event)
);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = '23514', CONSTRAINT = TG_TABLE_NAME || '_append_only';
END $$;

CREATE FUNCTION guard_status() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE machine_name text := TG_TABLE_NAME;
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF NOT EXISTS (SELECT 1 FROM state_edge e WHERE e.machine = machine_name AND e.from_status = '' AND e.to_status = NEW.status) THEN
      RAISE EXCEPTION '% may not begin as %', machine_name, NEW.status USING ERRCODE = '23514', CONSTRAINT = machine_name || '_edge';
    END IF;
  ELSIF OLD.status IS DISTINCT FROM NEW.status THEN
    IF NOT EXISTS (SELECT 1 FROM state_edge e WHERE e.machine = machine_name AND e.from_status = OLD.status AND e.to_status = NEW.status) THEN
      RAISE EXCEPTION '% may not go from % to %', machine_name, OLD.status, NEW.status USING ERRCODE = '23514', CONSTRAINT = machine_name || '_edge';
    END IF;
  END IF;
  RETURN NEW;
END $$;

-- A ULID: ten digits of time, sixteen of chance (64 bits; their digits are the first half of Crockford's alphabet).
CREATE FUNCTION new_ulid() RETURNS text LANGUAGE sql VOLATILE AS $$
  SELECT substr(a, ((ms >> 45) & 31)::int + 1, 1) || substr(a, ((ms >> 40) & 31)::int + 1, 1) || substr(a, ((ms >> 35) & 31)::int + 1, 1) || substr(a, ((ms >> 30) & 31)::int + 1, 1) || substr(a, ((ms >> 25) & 31)::int + 1, 1) || substr(a, ((ms >> 20) & 31)::int + 1, 1) || substr(a, ((ms >> 15) & 31)::int + 1, 1) || substr(a, ((ms >> 10) & 31)::int + 1, 1) || substr(a, ((ms >> 5) & 31)::int + 1, 1) || substr(a, ((ms >> 0) & 31)::int + 1, 1) ||
         upper(substr(replace(gen_random_uuid()::text, '-', ''), 17, 16))
  FROM (SELECT '0123456789ABCDEFGHJKMNPQRSTVWXYZ'::text AS a, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms) t
$$;

-- Event: written in the same statement as the change it tells of -----------------------------------------------------

CREATE TABLE event (
  id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  event_id       text NOT NULL DEFAULT ('evt_' || new_ulid()),
  ts             timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  name           text NOT NULL,
  actor          text NOT NULL,
  actor_role     text NOT NULL,
  via            text NOT NULL DEFAULT 'system',
  resource_type  text NOT NULL,
  resource_id    text NOT NULL,
  transition     text,
  from_status    text,
  to_status      text,
  reason         text,
  outcome        text NOT NULL DEFAULT 'ok' CHECK (outcome IN ('ok', 'refused', 'error')),
  error_code     text,
  node           text NOT NULL DEFAULT '',
  correlation_id text,
  refs           jsonb NOT NULL DEFAULT '{}',
  details        jsonb NOT NULL DEFAULT '{}' CHECK (octet_length(details::text) <= 16384)
);
CREATE UNIQUE INDEX event_event_id ON event (event_id);
CREATE INDEX event_resource ON event (resource_type, resource_id, id);
CREATE INDEX event_name ON event (name, id);
CREATE INDEX event_actor ON event (actor, id);
CREATE INDEX event_outcome ON event (outcome, id) WHERE outcome <> 'ok';
CREATE TRIGGER event_append_only BEFORE UPDATE OR DELETE ON event FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER event_no_truncate BEFORE TRUNCATE ON event FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TABLE event_seal (
  seq       bigint PRIMARY KEY,
  event     bigint NOT NULL UNIQUE,
  prev_hash bytea NOT NULL,
  hash      bytea NOT NULL,
  sealed_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);
CREATE TRIGGER event_seal_append_only BEFORE UPDATE OR DELETE ON event_seal FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- The head of the chain. Every event with id <= low is sealed or will never exist; (mark_id, mark_xid) is the next
-- candidate for low: once all transactions that ran when it was noted have ended, no id at or below it can appear.
CREATE TABLE event_head (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  seq      bigint NOT NULL DEFAULT 0,
  hash     bytea NOT NULL DEFAULT '\x',
  low      bigint NOT NULL DEFAULT 0,
  mark_id  bigint NOT NULL DEFAULT 0,
  mark_xid xid8 NOT NULL DEFAULT '0'
);
INSERT INTO event_head DEFAULT VALUES;

-- The exact bytes that are hashed, exported and mirrored. The list of columns is closed: a later column is not in it.
CREATE FUNCTION event_body(e event) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_build_object(
    'event_id', e.event_id,
    'ts', to_char(e.ts AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'event', e.name, 'actor', e.actor, 'actor_role', e.actor_role, 'via', e.via,
    'resource', jsonb_build_object('type', e.resource_type, 'id', e.resource_id),
    'transition', e.transition, 'from', e.from_status, 'to', e.to_status,
    'reason', e.reason, 'outcome', e.outcome, 'error_code', e.error_code,
    'node', e.node, 'correlation_id', e.correlation_id, 'refs', e.refs, 'details', e.details)::text
$$;

-- Seals up to max_rows committed events and returns how many. One sequencer at a time; others return 0 at once.
CREATE FUNCTION bloom_seal(max_rows integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  head event_head;
  snap pg_snapshot;
  prev bytea;
  next_seq bigint;
  done integer := 0;
  row record;
  seqs bigint[] := '{}'; ids bigint[] := '{}'; prevs bytea[] := '{}'; hashes bytea[] := '{}';
BEGIN
  SELECT * INTO head FROM event_head FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN 0; END IF;
  prev := head.hash; next_seq := head.seq;
  FOR row IN
    SELECT e.id, event_body(e) AS body FROM event e
    WHERE e.id > head.low AND NOT EXISTS (SELECT 1 FROM event_seal s WHERE s.event = e.id)
    ORDER BY e.id LIMIT max_rows
  LOOP
    next_seq := next_seq + 1;
    seqs := seqs || next_seq; ids := ids || row.id; prevs := prevs || prev;
    prev := sha256(prev || convert_to(row.body, 'UTF8'));
    hashes := hashes || prev;
    done := done + 1;
  END LOOP;
  IF done > 0 THEN
    INSERT INTO event_seal (seq, event, prev_hash, hash)
    SELECT * FROM unnest(seqs, ids, prevs, hashes);
  END IF;
  snap := pg_current_snapshot();
  IF done < max_rows THEN
    IF pg_snapshot_xmin(snap) >= head.mark_xid AND head.mark_id > head.low THEN head.low := head.mark_id; END IF;
    IF head.mark_id <= head.low THEN
      head.mark_id := coalesce((SELECT max(id) FROM event), 0);
      head.mark_xid := pg_snapshot_xmax(snap);
    END IF;
  END IF;
  IF done > 0 OR head.low > 0 THEN
    UPDATE event_head SET seq = next_seq, hash = prev, low = head.low, mark_id = head.mark_id, mark_xid = head.mark_xid
    WHERE (seq, low, mark_id) IS DISTINCT FROM (next_seq, head.low, head.mark_id);
  END IF;
  RETURN done;
END $$;

-- Where each consumer of the sealed order stands.
CREATE TABLE consumer (
  name       text PRIMARY KEY,
  seq        bigint NOT NULL DEFAULT 0,
  lease_holder     text,
  lease_expires_at timestamptz(3),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  last_error text
);

-- Inbox ---------------------------------------------------------------------------------------------------------------

CREATE TABLE inbox_entry (
  inbox_id        text PRIMARY KEY,
  status          text NOT NULL DEFAULT 'pending',
  source_type     text NOT NULL CHECK (source_type IN ('ui', 'agent', 'cron', 'webhook', 'mcp', 'api')),
  source_identity text NOT NULL,
  action          text NOT NULL,
  target          text NOT NULL,
  payload         jsonb NOT NULL,
  body_digest     text NOT NULL,
  correlation_id  text NOT NULL,
  priority        text NOT NULL DEFAULT 'normal' CHECK (priority IN ('normal', 'high')),
  ttl_hours       integer NOT NULL DEFAULT 72 CHECK (ttl_hours BETWEEN 1 AND 720),
  run_id          text,
  resolution_kind text CHECK (resolution_kind IN ('proposal', 'run', 'job')),
  resolution_id   text,
  reason_code     text,
  reason          text,
  received_at     timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  expires_at      timestamptz(3) NOT NULL,
  updated_at      timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (source_identity, correlation_id),
  CONSTRAINT inbox_processed_has_resolution CHECK ((status = 'processed') = (resolution_id IS NOT NULL)),
  CONSTRAINT inbox_rejected_has_reason CHECK (status <> 'rejected' OR reason_code IS NOT NULL)
);
CREATE INDEX inbox_entry_received ON inbox_entry (received_at DESC, inbox_id DESC);
CREATE INDEX inbox_entry_status ON inbox_entry (status, received_at DESC, inbox_id DESC);
CREATE INDEX inbox_entry_pending ON inbox_entry (expires_at) WHERE status = 'pending';
CREATE TRIGGER inbox_entry_edge BEFORE INSERT OR UPDATE OF status ON inbox_entry FOR EACH ROW EXECUTE FUNCTION guard_status();

-- Proposals -----------------------------------------------------------------------------------------------------------

CREATE TABLE proposal (
  proposal_id      text PRIMARY KEY,
  status           text NOT NULL DEFAULT 'PENDING',
  version          integer NOT NULL DEFAULT 1,
  inbox_entry_id   text NOT NULL REFERENCES inbox_entry,
  source_type      text NOT NULL,
  source_identity  text NOT NULL,
  run_id           text,
  agent_slug       text,
  agent_version    text,
  tainted          boolean NOT NULL DEFAULT false,
  action           text NOT NULL,
  target_type      text NOT NULL,
  target_path      text NOT NULL,
  target_key       text NOT NULL,                -- the FIFO of page 01, section 5
  summary          text NOT NULL CHECK (char_length(summary) BETWEEN 1 AND 200),
  reasoning        text NOT NULL DEFAULT '' CHECK (char_length(reasoning) <= 8000),
  changes          jsonb NOT NULL,
  citations        jsonb NOT NULL DEFAULT '[]',
  entity_refs      jsonb NOT NULL DEFAULT '[]',
  content_digest   text NOT NULL,
  base_revision    text NOT NULL,
  target_hash      text NOT NULL,
  priority         text NOT NULL DEFAULT 'normal',
  relations        jsonb NOT NULL DEFAULT '{}',
  created_at       timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  updated_at       timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  expires_at       timestamptz(3) NOT NULL,
  decided_by       text,
  decided_at       timestamptz(3),
  decision_note    text,
  reason_code      text,
  decision_mode    text,
  review_digest    text,
  apply_not_before timestamptz(3),
  force_over_hash  text,
  attempt          integer NOT NULL DEFAULT 0,
  fence            bigint NOT NULL DEFAULT 0,
  lease_holder     text,
  lease_expires_at timestamptz(3),
  git_commit       text,
  result_hash      text,
  applied_over_hash text,
  rebased          boolean NOT NULL DEFAULT false,
  applied_paths    jsonb NOT NULL DEFAULT '[]',
  error            jsonb,
  archived_at      timestamptz(3),
  seen_at          timestamptz(3),
  seen_again       integer NOT NULL DEFAULT 0,
  CONSTRAINT proposal_applied_has_commit CHECK ((status = 'APPLIED') = (git_commit IS NOT NULL)),
  CONSTRAINT proposal_applying_has_lease CHECK (status <> 'APPLYING' OR lease_expires_at IS NOT NULL),
  CONSTRAINT proposal_logic_never_by_rule CHECK (status <> 'AUTO_APPROVED' OR action NOT IN ('logic-update', 'logic-rollback'))
);
CREATE UNIQUE INDEX proposal_one_applying ON proposal (target_key) WHERE status = 'APPLYING';
CREATE UNIQUE INDEX proposal_identical_pending ON proposal (content_digest) WHERE status = 'PENDING';
CREATE UNIQUE INDEX proposal_commit ON proposal (git_commit) WHERE git_commit IS NOT NULL;
CREATE INDEX proposal_created ON proposal (created_at DESC, proposal_id DESC);
CREATE INDEX proposal_status ON proposal (status, created_at DESC, proposal_id DESC);
CREATE INDEX proposal_agent ON proposal (agent_slug, created_at DESC, proposal_id DESC);
CREATE INDEX proposal_run ON proposal (run_id) WHERE run_id IS NOT NULL;
CREATE INDEX proposal_to_decide ON proposal (priority, expires_at, proposal_id) WHERE status = 'PENDING';
CREATE INDEX proposal_expiry ON proposal (expires_at) WHERE status = 'PENDING';
CREATE INDEX proposal_queue ON proposal (target_key, decided_at, created_at, proposal_id) WHERE status IN ('APPROVED', 'AUTO_APPROVED', 'APPLYING');
CREATE INDEX proposal_rejected_digest ON proposal (content_digest, source_identity, decided_at) WHERE status IN ('REJECTED', 'DISCARDED');
CREATE TRIGGER proposal_edge BEFORE INSERT OR UPDATE OF status ON proposal FOR EACH ROW EXECUTE FUNCTION guard_status();

CREATE FUNCTION proposal_content_frozen() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.proposal_id, NEW.inbox_entry_id, NEW.action, NEW.target_path, NEW.target_type, NEW.summary, NEW.reasoning, NEW.content_digest,
      NEW.base_revision, NEW.target_hash, NEW.changes, NEW.citations, NEW.source_identity, NEW.tainted)
     IS DISTINCT FROM
     (OLD.proposal_id, OLD.inbox_entry_id, OLD.action, OLD.target_path, OLD.target_type, OLD.summary, OLD.reasoning, OLD.content_digest,
      OLD.base_revision, OLD.target_hash, OLD.changes, OLD.citations, OLD.source_identity, OLD.tainted) THEN
    RAISE EXCEPTION 'the content of a proposal never changes' USING ERRCODE = '23514', CONSTRAINT = 'proposal_content_frozen';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER proposal_frozen BEFORE UPDATE ON proposal FOR EACH ROW EXECUTE FUNCTION proposal_content_frozen();
CREATE TRIGGER proposal_no_delete BEFORE DELETE ON proposal FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- Agents --------------------------------------------------------------------------------------------------------------

CREATE TABLE agent (
  slug           text PRIMARY KEY,
  status         text NOT NULL DEFAULT 'draft',
  name           text NOT NULL,
  description    text NOT NULL DEFAULT '',
  version        text NOT NULL,
  model          text NOT NULL,
  definition     jsonb NOT NULL,
  instructions   text NOT NULL DEFAULT '',
  problems       jsonb NOT NULL DEFAULT '[]',
  revision       text NOT NULL,
  sha256         text NOT NULL,
  failed_in_row  integer NOT NULL DEFAULT 0,
  error          jsonb,
  created_at     timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  updated_at     timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);
CREATE TRIGGER agent_edge BEFORE INSERT OR UPDATE OF status ON agent FOR EACH ROW EXECUTE FUNCTION guard_status();

-- Runs ----------------------------------------------------------------------------------------------------------------

CREATE TABLE run (
  run_id           text PRIMARY KEY,
  status           text NOT NULL DEFAULT 'requested',
  revision         bigint NOT NULL DEFAULT 1,      -- grows with every change; the version of status.json
  agent_slug       text NOT NULL REFERENCES agent,
  agent_version    text,
  definition_sha256 text,
  inbox_entry_id   text REFERENCES inbox_entry,
  trigger          text NOT NULL DEFAULT 'manual',
  requested_by     text NOT NULL,
  correlation_id   text,
  priority         text NOT NULL DEFAULT 'normal',
  params           jsonb NOT NULL DEFAULT '{}',
  current_step     integer NOT NULL DEFAULT 0,
  steps_completed  integer NOT NULL DEFAULT 0,
  attempt          integer NOT NULL DEFAULT 0,
  resumes          integer NOT NULL DEFAULT 0,
  retries_used     integer NOT NULL DEFAULT 0,
  fence            bigint NOT NULL DEFAULT 0,
  lease_holder     text,
  lease_expires_at timestamptz(3),
  wait_reason      text,
  wait_blocker     text,
  waiting_on       jsonb,                          -- {kind, id} while step 02 waits durably
  not_before       timestamptz(3),
  cancel_requested text,
  error            jsonb,
  summary          text,
  totals           jsonb NOT NULL DEFAULT '{}',
  requested_at     timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  queued_at        timestamptz(3),
  started_at       timestamptz(3),
  finished_at      timestamptz(3),
  updated_at       timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT run_running_has_fence CHECK (status <> 'running' OR fence > 0),
  CONSTRAINT run_final_has_end CHECK ((status IN ('completed', 'failed', 'cancelled')) = (finished_at IS NOT NULL)),
  CONSTRAINT run_failed_has_error CHECK (status <> 'failed' OR error IS NOT NULL)
);
CREATE UNIQUE INDEX run_lane ON run (agent_slug) WHERE status = 'running';
CREATE INDEX run_requested ON run (requested_at DESC, run_id DESC);
CREATE INDEX run_status ON run (status, requested_at DESC, run_id DESC);
CREATE INDEX run_agent ON run (agent_slug, requested_at DESC, run_id DESC);
CREATE INDEX run_queue ON run (priority, queued_at, run_id) WHERE status = 'queued';
CREATE INDEX run_sweep ON run (requested_at) WHERE status = 'requested';
CREATE INDEX run_lease ON run (lease_expires_at) WHERE status = 'running';
CREATE TRIGGER run_edge BEFORE INSERT OR UPDATE OF status ON run FOR EACH ROW EXECUTE FUNCTION guard_status();
CREATE TRIGGER run_no_delete BEFORE DELETE ON run FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TABLE run_step (
  run_id        text NOT NULL REFERENCES run,
  step          integer NOT NULL CHECK (step BETWEEN 1 AND 4),
  status        text NOT NULL DEFAULT 'running',
  attempts      jsonb NOT NULL DEFAULT '[]',
  input_digest  text,
  output        jsonb,
  output_digest text,
  error         jsonb,
  fence         bigint NOT NULL DEFAULT 0,
  started_at    timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  finished_at   timestamptz(3),
  PRIMARY KEY (run_id, step),
  CONSTRAINT run_step_completed_has_output CHECK (status <> 'completed' OR output_digest IS NOT NULL)
);
CREATE TRIGGER run_step_edge BEFORE INSERT OR UPDATE OF status ON run_step FOR EACH ROW EXECUTE FUNCTION guard_status();

-- The journal of step 02: every tool call with its outcome, recorded before the outcome is used.
CREATE TABLE run_call (
  run_id       text NOT NULL REFERENCES run,
  call_index   integer NOT NULL,
  tool         text NOT NULL,
  input_digest text NOT NULL,
  job_id       uuid,
  outcome      jsonb,
  ok           boolean,
  started_at   timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  finished_at  timestamptz(3),
  PRIMARY KEY (run_id, call_index)
);

-- Jobs and artifacts --------------------------------------------------------------------------------------------------

CREATE TABLE job (
  job_id           uuid PRIMARY KEY,
  status           text NOT NULL DEFAULT 'PENDING',
  job_type         text NOT NULL CHECK (job_type IN ('RESEARCH', 'BRIEF', 'PROPOSAL_PREPROCESS')),
  agent_slug       text NOT NULL,
  run_id           text,
  inbox_entry_id   text,
  requested_by     text NOT NULL,
  tenant           text NOT NULL DEFAULT 'default',
  priority         text NOT NULL DEFAULT 'normal' CHECK (priority IN ('normal', 'high')),
  payload          jsonb NOT NULL CHECK (octet_length(payload::text) <= 92160),
  payload_digest   text NOT NULL,
  attempt          integer NOT NULL DEFAULT 0,
  max_attempts     integer NOT NULL DEFAULT 3 CHECK (max_attempts BETWEEN 1 AND 10),
  requeue_count    integer NOT NULL DEFAULT 0,
  fence            bigint NOT NULL DEFAULT 0,
  lease_holder     text,
  lease_expires_at timestamptz(3),
  phase_deadline   timestamptz(3),
  not_before       timestamptz(3),
  wait_reason      text,
  wait_blocker     text,
  context_key      text,
  context_sha256   text,
  write_token_hash text,
  reserved_artifact_id text NOT NULL,
  artifact_id      text,
  failure_kind     text CHECK (failure_kind IN ('exhausted', 'invalid', 'operator', 'cancelled')),
  error            jsonb,
  created_at       timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  updated_at       timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  finished_at      timestamptz(3),
  CONSTRAINT job_complete_has_artifact CHECK ((status = 'COMPLETE') = (artifact_id IS NOT NULL)),
  CONSTRAINT job_active_has_lease CHECK (status NOT IN ('CONTEXT_ASSEMBLY', 'NOTEBOOKLM_CALL', 'ARTIFACT_WRITE') OR lease_expires_at IS NOT NULL),
  CONSTRAINT job_failed_has_kind CHECK ((status IN ('FAILED', 'DEAD')) = (failure_kind IS NOT NULL)),
  CONSTRAINT job_backoff_has_time CHECK (status <> 'RETRY_BACKOFF' OR not_before IS NOT NULL)
) WITH (fillfactor = 70);
CREATE UNIQUE INDEX job_lane ON job (agent_slug) WHERE status IN ('CONTEXT_ASSEMBLY', 'NOTEBOOKLM_CALL', 'ARTIFACT_WRITE');
CREATE INDEX job_pending ON job (created_at, job_id) WHERE status = 'PENDING';
CREATE INDEX job_queue ON job (agent_slug, priority, created_at, job_id) WHERE status = 'QUEUED';
CREATE INDEX job_backoff ON job (not_before) WHERE status = 'RETRY_BACKOFF';
CREATE INDEX job_lease ON job (lease_expires_at) WHERE status IN ('CONTEXT_ASSEMBLY', 'NOTEBOOKLM_CALL', 'ARTIFACT_WRITE');
CREATE INDEX job_exhausted ON job (updated_at) WHERE status = 'FAILED' AND failure_kind = 'exhausted';
CREATE INDEX job_created ON job (created_at DESC, job_id DESC);
CREATE INDEX job_status ON job (status, created_at DESC, job_id DESC);
CREATE INDEX job_agent ON job (agent_slug, created_at DESC, job_id DESC);
CREATE INDEX job_run ON job (run_id) WHERE run_id IS NOT NULL;
CREATE TRIGGER job_edge BEFORE INSERT OR UPDATE OF status ON job FOR EACH ROW EXECUTE FUNCTION guard_status();
CREATE TRIGGER job_no_delete BEFORE DELETE ON job FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- F2: nothing leaves DEAD by itself. The statement that requeues names the person in this setting of its transaction or row.
ALTER TABLE job ADD COLUMN requeued_by text;
CREATE FUNCTION job_rules() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.fence < OLD.fence THEN
    RAISE EXCEPTION 'the fence of a job never falls' USING ERRCODE = '23514', CONSTRAINT = 'job_fence';
  END IF;
  IF NEW.payload_digest IS DISTINCT FROM OLD.payload_digest OR NEW.reserved_artifact_id IS DISTINCT FROM OLD.reserved_artifact_id THEN
    RAISE EXCEPTION 'the payload of a job never changes' USING ERRCODE = '23514', CONSTRAINT = 'job_payload_frozen';
  END IF;
  IF OLD.status = 'DEAD' AND NEW.status <> 'DEAD' AND (NEW.requeued_by IS NULL OR NEW.requeue_count <= OLD.requeue_count) THEN
    RAISE EXCEPTION 'only a named person takes a job out of DEAD' USING ERRCODE = '23514', CONSTRAINT = 'job_dead_needs_person';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER job_rules BEFORE UPDATE ON job FOR EACH ROW EXECUTE FUNCTION job_rules();

CREATE TABLE artifact (
  artifact_id    text PRIMARY KEY,
  job_id         uuid UNIQUE REFERENCES job,
  run_id         text,
  agent_slug     text NOT NULL,
  type           text NOT NULL,
  title          text NOT NULL,
  version        integer NOT NULL DEFAULT 1,
  object_key     text NOT NULL,
  content_sha256 text NOT NULL,
  bytes          integer NOT NULL CHECK (bytes <= 1048576),
  engine         jsonb NOT NULL DEFAULT '{}',
  grounding      jsonb NOT NULL DEFAULT '{}',
  source_paths   text[] NOT NULL DEFAULT '{}',
  tags           text[] NOT NULL DEFAULT '{}',
  entity_refs    text[] NOT NULL DEFAULT '{}',
  created_at     timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  finalized_at   timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX artifact_created ON artifact (created_at DESC, artifact_id DESC);
CREATE INDEX artifact_type ON artifact (type, created_at DESC, artifact_id DESC);
CREATE INDEX artifact_agent ON artifact (agent_slug, created_at DESC, artifact_id DESC);
CREATE INDEX artifact_run ON artifact (run_id) WHERE run_id IS NOT NULL;
CREATE INDEX artifact_object ON artifact (object_key);
CREATE TRIGGER artifact_immutable BEFORE UPDATE OR DELETE ON artifact FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- F3: COMPLETE <=> artifact row, checked when the transaction commits.
CREATE FUNCTION job_artifact_together() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE complete boolean; written boolean; id uuid := NEW.job_id;
BEGIN
  IF id IS NULL THEN RETURN NULL; END IF;
  SELECT j.status = 'COMPLETE' INTO complete FROM job j WHERE j.job_id = id;
  SELECT EXISTS (SELECT 1 FROM artifact a JOIN job j ON j.job_id = a.job_id AND j.artifact_id = a.artifact_id WHERE a.job_id = id) INTO written;
  IF complete IS DISTINCT FROM written THEN
    RAISE EXCEPTION 'a job is COMPLETE exactly when its artifact exists' USING ERRCODE = '23514', CONSTRAINT = 'job_artifact_together';
  END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER job_complete_with_artifact AFTER UPDATE OF status ON job DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW WHEN (NEW.status = 'COMPLETE') EXECUTE FUNCTION job_artifact_together();
CREATE CONSTRAINT TRIGGER artifact_with_complete AFTER INSERT ON artifact DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION job_artifact_together();

-- Access --------------------------------------------------------------------------------------------------------------

CREATE TABLE account (
  account_id    text PRIMARY KEY,
  role          text NOT NULL CHECK (role IN ('owner', 'operator')),
  name          text NOT NULL UNIQUE,
  password_hash text,
  created_by    text NOT NULL,
  created_at    timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  updated_at    timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  disabled_at   timestamptz(3)
);

CREATE TABLE sign_in_link (
  token_hash text PRIMARY KEY,
  account_id text NOT NULL REFERENCES account,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  expires_at timestamptz(3) NOT NULL,
  used_at    timestamptz(3)
);

CREATE TABLE zone (
  zone_id         text PRIMARY KEY,
  status          text NOT NULL DEFAULT 'open',
  name            text NOT NULL,
  description     text NOT NULL DEFAULT '',
  folders         text[] NOT NULL DEFAULT '{}',
  tags            text[] NOT NULL DEFAULT '{}',
  consent_policy  text NOT NULL,
  consent_version integer NOT NULL DEFAULT 1,
  code_hash       text NOT NULL UNIQUE,
  link_hash       text NOT NULL UNIQUE,
  created_by      text NOT NULL,
  created_at      timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  expires_at      timestamptz(3) NOT NULL,
  revoked_at      timestamptz(3),
  entries         integer NOT NULL DEFAULT 0,
  wrong_tries     integer NOT NULL DEFAULT 0,
  rests_until     timestamptz(3),
  updated_at      timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT zone_has_scope CHECK (cardinality(folders) + cardinality(tags) > 0),
  CONSTRAINT zone_revoked_has_time CHECK ((status = 'revoked') = (revoked_at IS NOT NULL))
);
CREATE INDEX zone_created ON zone (created_at DESC, zone_id DESC);
CREATE INDEX zone_open ON zone (expires_at) WHERE status = 'open';
CREATE TRIGGER zone_edge BEFORE INSERT OR UPDATE OF status ON zone FOR EACH ROW EXECUTE FUNCTION guard_status();

CREATE TABLE session (
  sid             text PRIMARY KEY,
  role            text NOT NULL CHECK (role IN ('owner', 'operator', 'guest')),
  identity        text NOT NULL,
  account_id      text REFERENCES account,
  zone_id         text REFERENCES zone,
  via             text NOT NULL DEFAULT 'console',
  address_hash    text,
  consent_version integer,
  consented_at    timestamptz(3),
  step_up_at      timestamptz(3),
  created_at      timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  last_seen_at    timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  expires_at      timestamptz(3) NOT NULL,
  ended_at        timestamptz(3),
  CONSTRAINT session_guest_has_zone CHECK ((role = 'guest') = (zone_id IS NOT NULL))
);
CREATE INDEX session_zone ON session (zone_id) WHERE ended_at IS NULL;
CREATE INDEX session_account ON session (account_id) WHERE ended_at IS NULL;

-- One request, one effect: the answer to a repeated Idempotency-Key.
CREATE TABLE idempotency_key (
  identity    text NOT NULL,
  key         text NOT NULL,
  endpoint    text NOT NULL,
  body_digest text NOT NULL,
  status      integer,
  answer      jsonb,
  created_at  timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (identity, key)
);

-- Health --------------------------------------------------------------------------------------------------------------

CREATE TABLE component_health (
  component       text PRIMARY KEY,
  status          text NOT NULL CHECK (status IN ('healthy', 'degraded', 'unavailable', 'not_configured')),
  latency_ms      double precision,
  message         text,
  checked_at      timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  last_success_at timestamptz(3)
);

CREATE TABLE worker_process (
  worker_id    text PRIMARY KEY,
  host         text NOT NULL,
  pid          integer NOT NULL,
  started_at   timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  heartbeat_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  stopped_at   timestamptz(3)
);

-- The edges of every machine; a test compares them with the tables of src/domain.
INSERT INTO state_edge (machine, event, from_status, to_status) VALUES
  ('inbox_entry', 'receive', '', 'pending'),
  ('inbox_entry', 'resolve', 'pending', 'processed'),
  ('inbox_entry', 'refuse', 'pending', 'rejected'),
  ('inbox_entry', 'expire', 'pending', 'expired'),
  ('proposal', 'create', '', 'PENDING'),
  ('proposal', 'auto_approve', 'PENDING', 'AUTO_APPROVED'),
  ('proposal', 'approve', 'PENDING', 'APPROVED'),
  ('proposal', 'reject', 'PENDING', 'REJECTED'),
  ('proposal', 'reject', 'FAILED', 'REJECTED'),
  ('proposal', 'expire', 'PENDING', 'EXPIRED'),
  ('proposal', 'undo', 'APPROVED', 'PENDING'),
  ('proposal', 'take', 'APPROVED', 'APPLYING'),
  ('proposal', 'take', 'AUTO_APPROVED', 'APPLYING'),
  ('proposal', 'applied', 'APPLYING', 'APPLIED'),
  ('proposal', 'fail', 'APPLYING', 'FAILED'),
  ('proposal', 'retake', 'APPLYING', 'APPLYING'),
  ('proposal', 'retry', 'FAILED', 'APPROVED'),
  ('proposal', 'force', 'FAILED', 'APPROVED'),
  ('proposal', 'discard', 'REJECTED', 'DISCARDED'),
  ('job', 'submit', '', 'PENDING'),
  ('job', 'admit', 'PENDING', 'QUEUED'),
  ('job', 'refuse', 'PENDING', 'FAILED'),
  ('job', 'pick_up', 'QUEUED', 'CONTEXT_ASSEMBLY'),
  ('job', 'context_ready', 'CONTEXT_ASSEMBLY', 'NOTEBOOKLM_CALL'),
  ('job', 'context_timeout', 'CONTEXT_ASSEMBLY', 'RETRY_BACKOFF'),
  ('job', 'nlm_answered', 'NOTEBOOKLM_CALL', 'ARTIFACT_WRITE'),
  ('job', 'nlm_busy', 'NOTEBOOKLM_CALL', 'RETRY_BACKOFF'),
  ('job', 'fatal', 'NOTEBOOKLM_CALL', 'FAILED'),
  ('job', 'commit', 'ARTIFACT_WRITE', 'COMPLETE'),
  ('job', 'write_error', 'ARTIFACT_WRITE', 'RETRY_BACKOFF'),
  ('job', 'lease_lost', 'CONTEXT_ASSEMBLY', 'RETRY_BACKOFF'),
  ('job', 'lease_lost', 'NOTEBOOKLM_CALL', 'RETRY_BACKOFF'),
  ('job', 'lease_lost', 'ARTIFACT_WRITE', 'RETRY_BACKOFF'),
  ('job', 'backoff_elapsed', 'RETRY_BACKOFF', 'QUEUED'),
  ('job', 'exhausted', 'RETRY_BACKOFF', 'FAILED'),
  ('job', 'bury', 'FAILED', 'DEAD'),
  ('job', 'operator_fail', 'PENDING', 'FAILED'),
  ('job', 'operator_fail', 'QUEUED', 'FAILED'),
  ('job', 'operator_fail', 'CONTEXT_ASSEMBLY', 'FAILED'),
  ('job', 'operator_fail', 'NOTEBOOKLM_CALL', 'FAILED'),
  ('job', 'operator_fail', 'RETRY_BACKOFF', 'FAILED'),
  ('job', 'cancel', 'PENDING', 'FAILED'),
  ('job', 'cancel', 'QUEUED', 'FAILED'),
  ('job', 'cancel', 'CONTEXT_ASSEMBLY', 'FAILED'),
  ('job', 'cancel', 'NOTEBOOKLM_CALL', 'FAILED'),
  ('job', 'cancel', 'RETRY_BACKOFF', 'FAILED'),
  ('job', 'requeue', 'FAILED', 'QUEUED'),
  ('job', 'requeue', 'DEAD', 'QUEUED'),
  ('run', 'request', '', 'requested'),
  ('run', 'accept', 'requested', 'queued'),
  ('run', 'start', 'queued', 'running'),
  ('run', 'step_done', 'running', 'running'),
  ('run', 'complete', 'running', 'completed'),
  ('run', 'fail', 'running', 'failed'),
  ('run', 'cancel', 'requested', 'cancelled'),
  ('run', 'cancel', 'queued', 'cancelled'),
  ('run', 'cancel', 'running', 'cancelled'),
  ('run', 'resume', 'running', 'running'),
  ('run_step', 'begin', '', 'running'),
  ('run_step', 'retry', 'running', 'running'),
  ('run_step', 'checkpoint', 'running', 'completed'),
  ('run_step', 'give_up', 'running', 'failed'),
  ('agent', 'create', '', 'draft'),
  ('agent', 'activate', 'draft', 'active'),
  ('agent', 'pause', 'active', 'paused'),
  ('agent', 'pause', 'error', 'paused'),
  ('agent', 'resume', 'paused', 'active'),
  ('agent', 'break', 'active', 'error'),
  ('agent', 'recover', 'error', 'active'),
  ('agent', 'archive', 'draft', 'archived'),
  ('agent', 'archive', 'active', 'archived'),
  ('agent', 'archive', 'paused', 'archived'),
  ('agent', 'archive', 'error', 'archived'),
  ('agent', 'restore', 'archived', 'draft'),
  ('agent', 'delete', 'archived', 'deleted'),
  ('zone', 'create', '', 'open'),
  ('zone', 'extend', 'open', 'open'),
  ('zone', 'expire', 'open', 'expired'),
  ('zone', 'revoke', 'open', 'revoked');
