-- What the Membridge Control Plane knows by itself: projects, registered agents, nodes and syncs (server/membridge). Leases, locks and
-- pointers are objects of the store and are not here.

-- One row for each canonical id, so a registration by hand takes the place of one by heartbeat.
CREATE TABLE membridge_project (
  canonical_id  text PRIMARY KEY CHECK (canonical_id ~ '^[A-Za-z0-9._-]{1,64}$'),
  name          text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 128),
  source        text NOT NULL CHECK (source IN ('manual', 'heartbeat')),
  registered_by text NOT NULL,
  created_at    timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX membridge_project_name ON membridge_project (name);

-- The daemons that somebody registered. Heartbeats change a row and never make one.
CREATE TABLE membridge_agent (
  name            text PRIMARY KEY CHECK (char_length(name) BETWEEN 1 AND 128),
  url             text CHECK (char_length(url) <= 2048),
  -- As the registration said; it is shown until the first heartbeat.
  reported_status text NOT NULL CHECK (char_length(reported_status) BETWEEN 1 AND 64),
  capabilities    jsonb NOT NULL,
  agent_version   text CHECK (char_length(agent_version) <= 64),
  registered_by   text NOT NULL,
  registered_at   timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  last_seen       timestamptz(3)
) WITH (fillfactor = 70);

-- A node of a project, as its heartbeats describe it. Every beat updates its row: no column that a beat changes is indexed, and pages keep
-- room, so that the update stays in its page and touches no index.
CREATE TABLE membridge_node (
  canonical_id       text NOT NULL CHECK (canonical_id ~ '^[A-Za-z0-9._-]{1,64}$'),
  node_id            text NOT NULL CHECK (char_length(node_id) BETWEEN 1 AND 128),
  project_id         text CHECK (char_length(project_id) BETWEEN 1 AND 128),
  -- Unknown until the node has said it once.
  obs_count          bigint CHECK (obs_count >= 0),
  db_sha             text CHECK (char_length(db_sha) <= 128),
  agent_version      text CHECK (char_length(agent_version) <= 64),
  ip_addrs           text[] NOT NULL DEFAULT '{}',
  -- JSON of what the node says of its own time; kept for whoever looks for a fault, and judged by nobody.
  reported_last_seen text CHECK (char_length(reported_last_seen) <= 256),
  -- Whether the latest beat came under the admin key, and whether it was the first one under its kind of key.
  admin_key          boolean NOT NULL,
  key_changed        boolean NOT NULL DEFAULT true,
  -- False once the silence of the node was noticed. Readers go by last_seen.
  online             boolean NOT NULL DEFAULT true,
  last_seen          timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  registered_at      timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (canonical_id, node_id)
) WITH (fillfactor = 70);

CREATE TABLE membridge_sync (
  sync_id      text PRIMARY KEY CHECK (sync_id ~ '^[0-9a-f]{16}$'),
  status       text NOT NULL,
  action       text NOT NULL CHECK (action IN ('push', 'pull')),
  -- By name, as they were when the sync was asked for; registrations come and go.
  project      text NOT NULL,
  agent        text NOT NULL,
  canonical_id text NOT NULL,
  -- What the node answered: without secrets, and the end of its output only.
  detail       text CHECK (char_length(detail) <= 2000),
  stdout       text CHECK (char_length(stdout) <= 16384),
  stderr       text CHECK (char_length(stderr) <= 16384),
  returncode   integer,
  dryrun       boolean,
  requested_by text NOT NULL,
  request_id   text CHECK (char_length(request_id) <= 128),
  created_at   timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  finished_at  timestamptz(3),
  updated_at   timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  CHECK ((status = 'pending') = (finished_at IS NULL))
);
CREATE INDEX membridge_sync_created ON membridge_sync (created_at DESC, sync_id DESC);
CREATE INDEX membridge_sync_status ON membridge_sync (status, created_at DESC, sync_id DESC);
CREATE INDEX membridge_sync_project ON membridge_sync (project, created_at DESC, sync_id DESC);
CREATE TRIGGER membridge_sync_edge BEFORE INSERT OR UPDATE OF status ON membridge_sync FOR EACH ROW EXECUTE FUNCTION guard_status();
CREATE TRIGGER membridge_sync_no_delete BEFORE DELETE ON membridge_sync FOR EACH ROW EXECUTE FUNCTION refuse_change();

INSERT INTO state_edge (machine, event, from_status, to_status) VALUES
  ('membridge_sync', 'request', '', 'pending'),
  ('membridge_sync', 'push_done', 'pending', 'completed'),
  ('membridge_sync', 'pull_done', 'pending', 'completed'),
  ('membridge_sync', 'fail', 'pending', 'failed'),
  ('membridge_sync', 'give_up', 'pending', 'error');
