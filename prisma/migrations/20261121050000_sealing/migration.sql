-- The same ULID and the same members of an event's body for half the processor time: both are made seven times in the life of a job.

-- Ten digits of time, sixteen of chance (64 bits; their digits are the first half of Crockford's alphabet).
CREATE OR REPLACE FUNCTION new_ulid() RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  a CONSTANT text := '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  ms bigint := floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;
BEGIN
  RETURN substr(a, ((ms >> 45) & 31)::int + 1, 1) || substr(a, ((ms >> 40) & 31)::int + 1, 1) || substr(a, ((ms >> 35) & 31)::int + 1, 1)
    || substr(a, ((ms >> 30) & 31)::int + 1, 1) || substr(a, ((ms >> 25) & 31)::int + 1, 1) || substr(a, ((ms >> 20) & 31)::int + 1, 1)
    || substr(a, ((ms >> 15) & 31)::int + 1, 1) || substr(a, ((ms >> 10) & 31)::int + 1, 1) || substr(a, ((ms >> 5) & 31)::int + 1, 1)
    || substr(a, (ms & 31)::int + 1, 1) || upper(substr(replace(gen_random_uuid()::text, '-', ''), 17, 16));
END $$;

-- The exact bytes that are hashed, exported and mirrored, in the order of this list. The list of columns is closed.
CREATE OR REPLACE FUNCTION event_body(e event) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT json_build_object(
    'event_id', e.event_id,
    'ts', to_char(e.ts AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'event', e.name, 'actor', e.actor, 'actor_role', e.actor_role, 'via', e.via,
    'resource', json_build_object('type', e.resource_type, 'id', e.resource_id),
    'transition', e.transition, 'from', e.from_status, 'to', e.to_status,
    'reason', e.reason, 'outcome', e.outcome, 'error_code', e.error_code,
    'node', e.node, 'correlation_id', e.correlation_id, 'refs', e.refs, 'details', e.details)::text
$$;

-- An event's transaction has its number before the event has its own, whoever writes: the sealer below waits for numbered transactions, and
-- an id that was taken first could be passed over.
CREATE FUNCTION event_numbered() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_current_xact_id();
  RETURN NULL;
END $$;
CREATE TRIGGER event_numbered BEFORE INSERT ON event FOR EACH STATEMENT EXECUTE FUNCTION event_numbered();

-- Seals up to max_rows committed events and returns how many. One sequencer at a time; others return 0 at once.
--
-- Ids are given before they commit, so a low one may appear late. `low` only rises to a mark whose transactions have all ended: the mark's id
-- is read BEFORE this transaction gets its number, so that number is above those of all that hold lower ids; and that they have ended
-- is asked BEFORE the events are read, so that whatever had ended by then is read too. The other order loses events under load.
CREATE OR REPLACE FUNCTION bloom_seal(max_rows integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  head event_head;
  snap pg_snapshot;
  newest bigint;
  may_mark boolean;
  prev bytea;
  next_seq bigint;
  done integer := 0;
  row record;
  seqs bigint[] := '{}'; ids bigint[] := '{}'; prevs bytea[] := '{}'; hashes bytea[] := '{}';
BEGIN
  SELECT coalesce(max(id), 0) INTO newest FROM event;
  SELECT * INTO head FROM event_head;
  IF newest <= head.low THEN RETURN 0; END IF;
  may_mark := pg_current_xact_id_if_assigned() IS NULL;
  SELECT * INTO head FROM event_head FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN 0; END IF;
  snap := pg_current_snapshot();
  prev := head.hash; next_seq := head.seq;
  FOR row IN
    SELECT e.id, event_body(e) AS body FROM event e
    WHERE e.id > head.low AND NOT EXISTS (SELECT 1 FROM event_seal s WHERE s.event = e.id)
    ORDER BY e.id LIMIT max_rows
  LOOP
    next_seq := next_seq + 1;
    seqs := seqs || next_seq; ids := ids || row.id; prevs := prevs || prev;
    prev := sha256(prev || convert_to(row.body, 'UTF8'));
    hashes := hashes || prev;
    done := done + 1;
  END LOOP;
  IF done > 0 THEN
    INSERT INTO event_seal (seq, event, prev_hash, hash)
    SELECT * FROM unnest(seqs, ids, prevs, hashes);
  END IF;
  IF done < max_rows THEN
    IF head.mark_id > head.low AND pg_snapshot_xmin(snap) >= head.mark_xid THEN head.low := head.mark_id; END IF;
    IF head.mark_id <= head.low AND newest > head.low AND may_mark THEN
      head.mark_id := newest;
      head.mark_xid := pg_current_xact_id();
    END IF;
  END IF;
  UPDATE event_head SET seq = next_seq, hash = prev, low = head.low, mark_id = head.mark_id, mark_xid = head.mark_xid
  WHERE (seq, low, mark_id) IS DISTINCT FROM (next_seq, head.low, head.mark_id);
  RETURN done;
END $$;
