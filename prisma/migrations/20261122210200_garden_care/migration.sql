-- Care of the garden's repository (server/apply/care): the remote that follows the branch, and the check of all objects.

-- When the commit of an applied proposal was seen on the remote.
ALTER TABLE proposal ADD COLUMN remote_pushed_at timestamptz(3) CHECK (remote_pushed_at IS NULL OR git_commit IS NOT NULL);
CREATE INDEX proposal_not_pushed ON proposal (updated_at, proposal_id) WHERE git_commit IS NOT NULL AND remote_pushed_at IS NULL;

-- The one remote. Whoever pushes holds the lease; the fence keeps a stalled one from recording.
CREATE TABLE garden_remote (
  only_row         boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  -- Without credentials; another address starts over.
  address          text CHECK (length(address) <= 1024),
  pushed_commit    text,
  pushed_at        timestamptz(3),
  failures         integer NOT NULL DEFAULT 0,
  problem          text,
  message          text CHECK (length(message) <= 500),
  failing_since    timestamptz(3),
  next_attempt_at  timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  fence            bigint NOT NULL DEFAULT 0,
  lease_expires_at timestamptz(3),
  CHECK ((problem IS NULL) = (failing_since IS NULL)),
  CHECK ((problem IS NULL) = (failures = 0))
);
INSERT INTO garden_remote DEFAULT VALUES;

-- The newest check of all objects.
CREATE TABLE garden_check (
  only_row         boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  started_at       timestamptz(3),
  finished_at      timestamptz(3),
  checked_by       text CHECK (checked_by IN ('git', 'console')),
  commit           text,
  -- Null where git does not count them.
  objects          integer,
  faults           jsonb NOT NULL DEFAULT '[]',
  fence            bigint NOT NULL DEFAULT 0,
  lease_expires_at timestamptz(3)
);
INSERT INTO garden_check DEFAULT VALUES;
