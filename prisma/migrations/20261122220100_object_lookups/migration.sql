-- The table by its full name: what the session's search path finds first under that name decides nothing.
CREATE OR REPLACE FUNCTION object_named() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE named text;
BEGIN
  IF TG_TABLE_NAME = 'artifact' THEN named := NEW.object_key;
  ELSIF TG_TABLE_NAME = 'job' THEN named := NEW.context_key;
  ELSE named := NEW.output ->> 'context_object';
  END IF;
  PERFORM pg_advisory_xact_lock_shared(hashtextextended('object_mark', 0));
  IF EXISTS (SELECT FROM public.object_mark m WHERE m.object_key = named AND m.condemned_at IS NOT NULL) THEN
    RAISE EXCEPTION 'the object % has been removed by the sweep', named USING ERRCODE = '23514', CONSTRAINT = 'object_swept';
  END IF;
  RETURN NEW;
END $$;

-- Removals that are under way or were broken off, and the time since which removed ones are remembered.
CREATE INDEX object_mark_open ON object_mark (condemned_at) WHERE condemned_at IS NOT NULL AND removed_at IS NULL;
CREATE INDEX object_mark_gone ON object_mark (removed_at) WHERE removed_at IS NOT NULL;

-- Which event tells of a document. No other event is in it, so none pays for it.
CREATE INDEX event_artifact_created ON event ((details ->> 'content_sha256')) WHERE name = 'artifact.created';
