-- Machine keys (server/keys): how a machine proves who it is. Of a key the ledger has the SHA-256 of its whole text and no more; the secret
-- is 256 random bits, so nothing slower than a digest is needed to keep it from being found.
--
-- active → expired (its end has come; every request asks the clock, the sweep writes the state) or revoked (an owner, or the launcher when
-- the ledger becomes that of another home). Rows are never deleted: the audit names them.
CREATE TABLE machine_key (
  key_id       text PRIMARY KEY CHECK (key_id ~ '^[0-9a-f]{16}$'),
  status       text NOT NULL,
  kind         text NOT NULL CHECK (kind IN ('node')),
  node_id      text NOT NULL CHECK (length(node_id) BETWEEN 1 AND 128),
  name         text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  scopes       text[] NOT NULL,
  hash         text NOT NULL CHECK (hash ~ '^[0-9a-f]{64}$'),
  -- Which of the two places of its node and kind it takes while it is active.
  slot         smallint NOT NULL CHECK (slot IN (1, 2)),
  created_by   text NOT NULL,
  created_at   timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  -- None: valid until it is revoked.
  expires_at   timestamptz(3),
  revoked_at   timestamptz(3),
  -- Of the last request that it opened, at most a minute old while it is in use.
  last_used_at timestamptz(3),
  updated_at   timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  CHECK ((status = 'revoked') = (revoked_at IS NOT NULL)),
  CHECK ((status = 'expired') <= (expires_at IS NOT NULL))
);
-- However many are made at once: two places, so at most two active keys.
CREATE UNIQUE INDEX machine_key_place ON machine_key (kind, node_id, slot) WHERE status = 'active';
CREATE INDEX machine_key_end ON machine_key (expires_at) WHERE status = 'active' AND expires_at IS NOT NULL;
CREATE INDEX machine_key_created ON machine_key (created_at DESC, key_id DESC);
CREATE TRIGGER machine_key_edge BEFORE INSERT OR UPDATE OF status ON machine_key FOR EACH ROW EXECUTE FUNCTION guard_status();
CREATE TRIGGER machine_key_no_delete BEFORE DELETE ON machine_key FOR EACH ROW EXECUTE FUNCTION refuse_change();

INSERT INTO state_edge (machine, event, from_status, to_status) VALUES
  ('machine_key', 'create', '', 'active'),
  ('machine_key', 'rotate', 'active', 'active'),
  ('machine_key', 'expire', 'active', 'expired'),
  ('machine_key', 'revoke', 'active', 'revoked');
