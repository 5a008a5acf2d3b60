-- Requests, and attempts at secrets, counted where every process sees them.
DROP FUNCTION bloom_take_try(text, integer, interval);
DROP TABLE access_try;

-- Hits of one subject in one slice of its period. Not logged: after a crash every subject begins anew, and no request that
-- only reads waits for the write-ahead log.
CREATE UNLOGGED TABLE rate_slice (
  subject text NOT NULL,
  slice   timestamptz(3) NOT NULL,
  hits    integer NOT NULL,
  PRIMARY KEY (subject, slice)
);
CREATE INDEX rate_slice_age ON rate_slice (slice);

-- Counts one hit of the subject in a sliding period, unless that would be more than `max_hits`: `slice` is then null. The
-- period is sixty slices and the current one; a slice counts until its youngest possible hit is a period old. So never more than
-- `max_hits` pass in any period, and one that may pass waits a sixtieth of the period too long at most. `taken` includes this
-- hit; `wait` is the seconds until the oldest slice leaves.
CREATE FUNCTION bloom_count_hit(subject_ text, max_hits integer, period interval, at timestamptz,
  OUT slice timestamptz, OUT taken integer, OUT wait double precision)
LANGUAGE plpgsql AS $$
DECLARE width interval := period / 60; oldest timestamptz;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(subject_, 0));
  DELETE FROM rate_slice r WHERE r.subject = subject_ AND r.slice <= at - period - width;
  SELECT coalesce(sum(r.hits), 0), min(r.slice) FILTER (WHERE r.hits > 0) INTO taken, oldest
    FROM rate_slice r WHERE r.subject = subject_;
  IF taken < max_hits THEN
    slice := date_bin(width, at, timestamptz 'epoch');
    INSERT INTO rate_slice AS r VALUES (subject_, slice, 1)
      ON CONFLICT ON CONSTRAINT rate_slice_pkey DO UPDATE SET hits = r.hits + 1;
    taken := taken + 1;
  END IF;
  wait := extract(epoch FROM coalesce(oldest, slice) + width + period - at);
END $$;
