-- What guards the rows of a job is asked of each of its transitions, so a transition that is right enters no function: the edges and rules that
-- nearly all of them satisfy are conditions of the triggers, and the functions decide about the rest as before. An edge of state_edge that is
-- missing here costs a call; one that is no edge any more would pass, which the tests over all pairs of states notice.
DROP TRIGGER job_edge ON job;
CREATE TRIGGER job_begin BEFORE INSERT ON job FOR EACH ROW WHEN (NEW.status <> 'PENDING') EXECUTE FUNCTION guard_status();
CREATE TRIGGER job_edge BEFORE UPDATE OF status ON job FOR EACH ROW WHEN (
  OLD.status IS DISTINCT FROM NEW.status AND OLD.status || ' ' || NEW.status <> ALL ('{
    PENDING QUEUED, PENDING FAILED, QUEUED CONTEXT_ASSEMBLY, QUEUED FAILED,
    CONTEXT_ASSEMBLY NOTEBOOKLM_CALL, CONTEXT_ASSEMBLY RETRY_BACKOFF, CONTEXT_ASSEMBLY FAILED,
    NOTEBOOKLM_CALL ARTIFACT_WRITE, NOTEBOOKLM_CALL RETRY_BACKOFF, NOTEBOOKLM_CALL FAILED,
    ARTIFACT_WRITE COMPLETE, ARTIFACT_WRITE RETRY_BACKOFF, RETRY_BACKOFF QUEUED, RETRY_BACKOFF FAILED,
    FAILED DEAD, FAILED QUEUED, DEAD QUEUED}'::text[])
) EXECUTE FUNCTION guard_status();

DROP TRIGGER job_rules ON job;
CREATE TRIGGER job_rules BEFORE UPDATE ON job FOR EACH ROW WHEN (
  NEW.fence < OLD.fence OR NEW.payload_digest IS DISTINCT FROM OLD.payload_digest
  OR NEW.reserved_artifact_id IS DISTINCT FROM OLD.reserved_artifact_id OR (OLD.status = 'DEAD' AND NEW.status <> 'DEAD')
) EXECUTE FUNCTION job_rules();

-- The size of a payload is measured where one is written. A check of the table writes it out as text for every transition.
ALTER TABLE job DROP CONSTRAINT job_payload_check;
CREATE FUNCTION job_payload_fits() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the payload of a job is at most 90 KB' USING ERRCODE = '23514', CONSTRAINT = 'job_payload_check';
END $$;
CREATE TRIGGER job_payload_fits BEFORE INSERT OR UPDATE OF payload ON job FOR EACH ROW
  WHEN (octet_length(NEW.payload::text) > 92160) EXECUTE FUNCTION job_payload_fits();
