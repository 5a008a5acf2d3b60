-- Artifacts whose document retention has removed. The artifact itself never changes; this row beside it says that its object is gone.
CREATE TABLE artifact_removal (
  artifact_id text PRIMARY KEY REFERENCES artifact,
  -- the retention under which it went
  days        integer NOT NULL CHECK (days > 0),
  -- from here on the document is served to nobody
  decided_at  timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  -- the store has confirmed it
  removed_at  timestamptz(3)
);
CREATE INDEX artifact_removal_open ON artifact_removal (decided_at) WHERE removed_at IS NULL;
CREATE TRIGGER artifact_removal_no_delete BEFORE DELETE ON artifact_removal FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- What retention announced under its present value; off without one.
CREATE TABLE retention (
  only_row     boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  days         integer,
  announced_at timestamptz(3),
  begins_at    timestamptz(3),
  artifacts    bigint NOT NULL DEFAULT 0,
  bytes        bigint NOT NULL DEFAULT 0,
  oldest_at    timestamptz(3)
);
INSERT INTO retention DEFAULT VALUES;
