-- The processes run under roles that may do what their statements need (server/launch/rights.mjs). What they reach only through a
-- function or a trigger must not depend on anything that such a role could put in front of it.

-- The sealer's rights are this function's: no process may write a seal or the head.
ALTER FUNCTION bloom_seal(integer) SECURITY DEFINER SET search_path = public, pg_temp;
REVOKE ALL ON FUNCTION bloom_seal(integer) FROM PUBLIC;

ALTER FUNCTION job_artifact_together() SET search_path = public, pg_temp;

-- The edges by their full name: a temporary table of that name changes nothing.
CREATE OR REPLACE FUNCTION guard_status() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE machine_name text := TG_TABLE_NAME;
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF NOT EXISTS (SELECT 1 FROM public.state_edge e WHERE e.machine = machine_name AND e.from_status = '' AND e.to_status = NEW.status) THEN
      RAISE EXCEPTION '% may not begin as %', machine_name, NEW.status USING ERRCODE = '23514', CONSTRAINT = machine_name || '_edge';
    END IF;
  ELSIF OLD.status IS DISTINCT FROM NEW.status THEN
    IF NOT EXISTS (SELECT 1 FROM public.state_edge e WHERE e.machine = machine_name AND e.from_status = OLD.status AND e.to_status = NEW.status) THEN
      RAISE EXCEPTION '% may not go from % to %', machine_name, OLD.status, NEW.status USING ERRCODE = '23514', CONSTRAINT = machine_name || '_edge';
    END IF;
  END IF;
  RETURN NEW;
END $$;

-- Seals are not emptied either, whoever asks.
CREATE TRIGGER event_seal_no_truncate BEFORE TRUNCATE ON event_seal FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
