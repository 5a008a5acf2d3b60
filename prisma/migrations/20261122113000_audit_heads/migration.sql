-- Signed heads of the chain [audit#signed-heads]. The heads themselves are objects of the store; these rows say which there must be.
CREATE TABLE audit_head (
  seq       bigint PRIMARY KEY,
  hash      bytea NOT NULL,
  key_id    text NOT NULL,
  sha256    text NOT NULL,             -- of the object
  signed_at timestamptz(3) NOT NULL
);
CREATE TRIGGER audit_head_append_only BEFORE UPDATE OR DELETE ON audit_head FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_head_no_truncate BEFORE TRUNCATE ON audit_head FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- A verification is a job of the worker [audit#verification]; its row is all that a worker needs to go on with it. The newest rows say when
-- the audit was last verified and what was found.
CREATE TABLE audit_verification (
  verification_id  text PRIMARY KEY,
  requested_by     text NOT NULL,
  requested_role   text NOT NULL,
  requested_via    text NOT NULL,
  started_at       timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  finished_at      timestamptz(3),
  -- The chain as it was at the start: what is sealed later is not verified.
  to_seq           bigint NOT NULL,
  to_id            bigint NOT NULL,
  mirrored_to      bigint NOT NULL,
  stage            text NOT NULL,
  position         text NOT NULL DEFAULT '',
  events_checked   bigint NOT NULL DEFAULT 0,
  objects_checked  bigint NOT NULL DEFAULT 0,
  heads_checked    bigint NOT NULL DEFAULT 0,
  waiting          bigint NOT NULL DEFAULT 0,
  faults           jsonb NOT NULL DEFAULT '[]',
  step             bigint NOT NULL DEFAULT 0,
  lease_holder     text,
  lease_expires_at timestamptz(3),
  last_error       text
);
CREATE UNIQUE INDEX audit_verification_one ON audit_verification ((true)) WHERE finished_at IS NULL;
CREATE INDEX audit_verification_started ON audit_verification (started_at DESC, verification_id DESC);
CREATE TRIGGER audit_verification_no_delete BEFORE DELETE ON audit_verification FOR EACH ROW EXECUTE FUNCTION refuse_change();
