-- Tries of passwords, links and zone codes, counted where every process sees them (contract page 09, sections 3.1 and 4).

CREATE TABLE access_try (
  id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  subject text NOT NULL,
  at      timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX access_try_subject ON access_try (subject, at);

-- Takes one try of the subject in a sliding period. The try counts as failed until it is given back, so that parallel
-- guesses are bounded as well. `wait` is 0 when it was taken, else the seconds until the next one.
CREATE FUNCTION bloom_take_try(subject_ text, max_tries integer, period interval, OUT id bigint, OUT wait double precision)
LANGUAGE plpgsql AS $$
DECLARE taken integer; oldest timestamptz;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(subject_, 0));
  DELETE FROM access_try t WHERE t.subject = subject_ AND t.at <= clock_timestamp() - period;
  SELECT count(*), min(t.at) INTO taken, oldest FROM access_try t WHERE t.subject = subject_;
  IF taken >= max_tries THEN
    wait := greatest(1, extract(epoch FROM oldest + period - clock_timestamp()));
    RETURN;
  END IF;
  INSERT INTO access_try (subject) VALUES (subject_) RETURNING access_try.id INTO id;
  wait := 0;
END $$;
