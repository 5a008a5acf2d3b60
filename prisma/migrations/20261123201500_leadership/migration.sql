-- Leadership as the Membridge Control Plane remembers it (server/membridge): what was last seen of each project's lease, pointer and lock,
-- what people selected, and the overrides they granted. The objects of the store decide; the mirror is a cache of them.

-- False while the node's heartbeats report LEADERSHIP_ENABLED=0.
ALTER TABLE membridge_node ADD COLUMN leadership_enabled boolean NOT NULL DEFAULT true;

CREATE TABLE membridge_lease (
  canonical_id         text PRIMARY KEY CHECK (canonical_id ~ '^[A-Za-z0-9._-]{1,64}$'),
  -- As it was read; NULL until the store has been read once. `answered` is false when the store did not answer that read.
  lease_state          text CHECK (lease_state IN ('absent', 'valid', 'expired', 'unreadable')),
  answered             boolean NOT NULL DEFAULT true,
  fault                text CHECK (char_length(fault) <= 500),
  holder               text CHECK (char_length(holder) <= 500),
  issued_by            text CHECK (char_length(issued_by) <= 500),
  nonce                text CHECK (char_length(nonce) <= 500),
  epoch                bigint,
  term                 bigint,
  lease_seconds        double precision,
  -- Seconds since 1970 by the store's clock; what remains of the lease counts from observed_at.
  issued_at            double precision,
  expires_at           double precision,
  remaining_seconds    double precision,
  needs_ui_selection   boolean NOT NULL DEFAULT false,
  store_time           double precision,
  pointer_state        text CHECK (pointer_state IN ('absent', 'present', 'unreadable')),
  pointer_sha256       text CHECK (char_length(pointer_sha256) <= 500),
  pointer_observations bigint,
  -- The term that fences pushes.
  pointer_term         bigint,
  pointer_pushed_at    double precision,
  pointer_db_size      bigint,
  pointer_node_id      text CHECK (char_length(pointer_node_id) <= 500),
  lock_state           text CHECK (lock_state IN ('free', 'active', 'grace', 'stale', 'unreadable')),
  lock_node_id         text CHECK (char_length(lock_node_id) <= 500),
  lock_age_seconds     double precision,
  -- The highest that was ever seen, and who has that term; never lower than before.
  known_epoch          bigint NOT NULL DEFAULT 0,
  known_term           bigint NOT NULL DEFAULT 0,
  known_holder         text CHECK (char_length(known_holder) <= 500),
  -- What conditional writes cannot have led to and still stands; the epoch whose expiry was recorded.
  incidents            jsonb NOT NULL DEFAULT '[]',
  expired_epoch        bigint,
  -- The ledger's clock before the store was read, and when this was written.
  observed_at          timestamptz(3),
  seen_at              timestamptz(3),
  -- When a scan took it up.
  scanned_at           timestamptz(3)
) WITH (fillfactor = 70);

-- One selection of a primary by a person, written before its lease is: what is killed in between is ended by the scan with its actor and reason.
CREATE TABLE membridge_selection (
  -- The nonce of the lease that it writes.
  selection_id     text PRIMARY KEY CHECK (char_length(selection_id) BETWEEN 1 AND 128),
  status           text NOT NULL,
  canonical_id     text NOT NULL,
  primary_node_id  text NOT NULL,
  previous_node_id text,
  lease_seconds    integer NOT NULL,
  force            boolean NOT NULL,
  expected_epoch   bigint,
  reason           text CHECK (char_length(reason) <= 2000),
  epoch            bigint NOT NULL,
  term             bigint NOT NULL,
  -- The text of lease.json, byte by byte, so that whoever ends the selection writes the same audit object.
  lease            text NOT NULL,
  requested_by     text NOT NULL,
  requested_role   text NOT NULL,
  requested_via    text NOT NULL,
  request_id       text CHECK (char_length(request_id) <= 128),
  created_at       timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  closed_at        timestamptz(3),
  updated_at       timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  CHECK ((status = 'pending') = (closed_at IS NULL))
);
CREATE INDEX membridge_selection_pending ON membridge_selection (created_at) WHERE status = 'pending';
CREATE INDEX membridge_selection_project ON membridge_selection (canonical_id, epoch DESC);
CREATE TRIGGER membridge_selection_edge BEFORE INSERT OR UPDATE OF status ON membridge_selection FOR EACH ROW EXECUTE FUNCTION guard_status();
CREATE TRIGGER membridge_selection_no_delete BEFORE DELETE ON membridge_selection FOR EACH ROW EXECUTE FUNCTION refuse_change();

INSERT INTO state_edge (machine, event, from_status, to_status) VALUES
  ('membridge_selection', 'request', '', 'pending'),
  ('membridge_selection', 'promote', 'pending', 'promoted'),
  ('membridge_selection', 'promote', 'refused', 'promoted'),
  ('membridge_selection', 'refuse', 'pending', 'refused');

-- An override that a person allows one node for a while.
CREATE TABLE membridge_grant (
  grant_id     text PRIMARY KEY CHECK (grant_id ~ '^[0-9a-f]{16}$'),
  canonical_id text NOT NULL,
  node_id      text NOT NULL,
  override     text NOT NULL CHECK (override IN ('FORCE_PUSH', 'ALLOW_SECONDARY_PUSH', 'ALLOW_PRIMARY_PULL_OVERRIDE', 'LEADERSHIP_DISABLED')),
  reason       text NOT NULL CHECK (char_length(reason) BETWEEN 1 AND 2000),
  granted_by   text NOT NULL,
  created_at   timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  expires_at   timestamptz(3) NOT NULL
);
CREATE INDEX membridge_grant_project ON membridge_grant (canonical_id, expires_at);
CREATE TRIGGER membridge_grant_no_change BEFORE UPDATE OR DELETE ON membridge_grant FOR EACH ROW EXECUTE FUNCTION refuse_change();
