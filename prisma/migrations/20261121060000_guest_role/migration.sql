-- The role of the guest path (contract page 09, section 4): it may read what a zone can show, and nothing else. Where this
-- database may not have roles of ours, guests read in read-only transactions alone.
DO $$ BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'bloom_guest') THEN CREATE ROLE bloom_guest NOLOGIN; END IF;
EXCEPTION WHEN insufficient_privilege OR duplicate_object OR unique_violation THEN NULL;
END $$;
DO $$ BEGIN
  IF EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'bloom_guest') THEN
    GRANT USAGE ON SCHEMA public TO bloom_guest;
    GRANT SELECT ON zone, proposal, artifact, event, event_seal, event_head TO bloom_guest;
    EXECUTE format('GRANT bloom_guest TO %I', current_user);
  END IF;
EXCEPTION WHEN insufficient_privilege OR invalid_grant_operation THEN NULL;
END $$;
