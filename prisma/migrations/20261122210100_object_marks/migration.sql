-- Content-addressed objects that nothing refers to, from their mark to their removal. A removed one keeps its row for a while: whoever
-- found the object before the removal must not come to refer to it afterwards.
CREATE TABLE object_mark (
  object_key   text PRIMARY KEY,
  bytes        bigint NOT NULL,
  marked_at    timestamptz(3) NOT NULL,
  -- from here on no row may come to name the object
  condemned_at timestamptz(3),
  removed_at   timestamptz(3),
  CONSTRAINT object_mark_in_order CHECK (removed_at IS NULL OR condemned_at IS NOT NULL)
);
CREATE INDEX object_mark_due ON object_mark (marked_at) WHERE condemned_at IS NULL;

-- The sweep: who is at it, when the next pass is due, what the last one did and all of them together.
CREATE TABLE object_sweep (
  only_row         boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  lease_holder     text,
  lease_expires_at timestamptz(3),
  next_at          timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  finished_at      timestamptz(3),
  listed           bigint NOT NULL DEFAULT 0,
  marked           bigint NOT NULL DEFAULT 0,
  removed          bigint NOT NULL DEFAULT 0,
  total_removed    bigint NOT NULL DEFAULT 0,
  total_bytes      bigint NOT NULL DEFAULT 0,
  last_error       text
);
INSERT INTO object_sweep DEFAULT VALUES;

-- Whoever makes a row name an object holds this lock until it commits; the sweep condemns under the exclusive one. So a row either stands
-- before its object is condemned, and is found, or is refused here.
CREATE FUNCTION object_named() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE named text;
BEGIN
  IF TG_TABLE_NAME = 'artifact' THEN named := NEW.object_key;
  ELSIF TG_TABLE_NAME = 'job' THEN named := NEW.context_key;
  ELSE named := NEW.output ->> 'context_object';
  END IF;
  PERFORM pg_advisory_xact_lock_shared(hashtextextended('object_mark', 0));
  IF EXISTS (SELECT FROM object_mark m WHERE m.object_key = named AND m.condemned_at IS NOT NULL) THEN
    RAISE EXCEPTION 'the object % has been removed by the sweep', named USING ERRCODE = '23514', CONSTRAINT = 'object_swept';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER artifact_object_named BEFORE INSERT ON artifact FOR EACH ROW EXECUTE FUNCTION object_named();
CREATE TRIGGER job_context_named BEFORE UPDATE OF context_key ON job FOR EACH ROW
  WHEN (NEW.context_key IS NOT NULL AND NEW.context_key IS DISTINCT FROM OLD.context_key) EXECUTE FUNCTION object_named();
CREATE TRIGGER job_context_given BEFORE INSERT ON job FOR EACH ROW WHEN (NEW.context_key IS NOT NULL) EXECUTE FUNCTION object_named();
CREATE TRIGGER run_step_context_named BEFORE INSERT OR UPDATE OF output ON run_step FOR EACH ROW
  WHEN (NEW.step = 1 AND NEW.output ? 'context_object') EXECUTE FUNCTION object_named();

-- Which run's first step loaded a context. Jobs have no such index: every transition of a job would pay for what is asked once an hour.
CREATE INDEX run_step_context ON run_step ((output ->> 'context_object')) WHERE step = 1;
