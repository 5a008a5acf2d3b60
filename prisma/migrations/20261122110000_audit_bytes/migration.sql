-- The bytes of the audit (RFC 8785), made once in the statement that inserts an event, and stored with it: what is hashed, mirrored to the
-- object store and exported are these very bytes [ledger#bytes]. The chain begins at 32 zero bytes.

-- A number as ECMAScript prints it, which RFC 8785 asks for. Integers of up to fifteen digits, nearly all there are, print as they stand.
CREATE FUNCTION bloom_canonical_number(n numeric) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
  SET extra_float_digits = 1 AS $$
DECLARE
  plain text := n::text;
  shortest text; digits text; rounded text; sign text := ''; exponent integer; point integer;
BEGIN
  IF length(plain) <= 15 AND scale(n) = 0 THEN RETURN plain; END IF;
  -- `d[.ddd]e±xx` or plain: the fewest digits that read back as the same double.
  shortest := n::float8::text;
  IF left(shortest, 1) = '-' THEN sign := '-'; shortest := substr(shortest, 2); END IF;
  exponent := CASE WHEN position('e' IN shortest) > 0 THEN split_part(shortest, 'e', 2)::integer ELSE 0 END;
  shortest := split_part(shortest, 'e', 1);
  digits := replace(shortest, '.', '');
  point := length(split_part(shortest, '.', 1)) + exponent;
  point := point - (length(digits) - length(ltrim(digits, '0')));
  digits := rtrim(ltrim(digits, '0'), '0');
  IF digits = '' THEN RETURN '0'; END IF;
  -- PostgreSQL passes over a shorter text that lies exactly between two doubles; ECMAScript takes it where it reads back as this one.
  -- Only numbers of 16 digits and below 1e40 lie beside such a text.
  FOR length_ IN 1 .. CASE WHEN length(digits) > 15 AND point BETWEEN 1 AND 40 THEN length(digits) - 1 ELSE 0 END LOOP
    rounded := round(digits::numeric, length_ - length(digits))::text;
    IF (rounded || 'e' || (point - length(digits)))::float8 = abs(n)::float8 THEN
      point := point + length(rounded) - length(digits);
      digits := rtrim(rounded, '0');
      EXIT;
    END IF;
  END LOOP;
  IF point BETWEEN 1 AND 21 THEN
    IF length(digits) <= point THEN RETURN sign || rpad(digits, point, '0'); END IF;
    RETURN sign || left(digits, point) || '.' || substr(digits, point + 1);
  ELSIF point BETWEEN -5 AND 0 THEN
    RETURN sign || '0.' || repeat('0', -point) || digits;
  END IF;
  exponent := point - 1;
  RETURN sign || left(digits, 1) || CASE WHEN length(digits) > 1 THEN '.' || substr(digits, 2) ELSE '' END
    || 'e' || CASE WHEN exponent > 0 THEN '+' ELSE '' END || exponent;
END $$;

-- RFC 8785 of a document. Members stand in the order of UTF-16 code units: that of UTF-8 bytes, but for U+E000 to U+FFFF (first byte EE
-- or EF), which follow the planes above (F0 to F4). A text of `jsonb` is escaped as the RFC asks.
CREATE FUNCTION bloom_canonical(document jsonb) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  plain text := document::text;
  members integer;
  a text; b text;
BEGIN
  IF plain = '{}' THEN RETURN plain; END IF;
  CASE left(plain, 1)
    WHEN '{' THEN
      -- Nearly all have one or two members that are whole numbers. Then every quote belongs to a name, and every colon, comma and space
      -- stands between, or the counts disagree; and such an object needs no query to be put in order.
      members := (octet_length(plain) - octet_length(replace(plain, '"', ''))) / 2;
      IF members < 3 AND length(plain) = octet_length(plain) AND octet_length(plain) - octet_length(replace(plain, ':', '')) = members
        AND octet_length(plain) - octet_length(replace(plain, ',', '')) = members - 1 AND octet_length(plain) - octet_length(replace(plain, ' ', '')) = 2 * members - 1
        AND strpos(plain, '\') = 0 AND strpos(plain, '!') = 0 AND strpos(plain, '[') = 0
        AND strpos(plain, '.') = 0 AND strpos(substr(plain, 2), '{') = 0
        AND strpos(translate(plain, '123456789', '000000000'), '0000000000000000') = 0 THEN
        plain := replace(substr(plain, 2, length(plain) - 2), '": ', '":');
        IF members = 1 THEN RETURN '{' || plain || '}'; END IF;
        a := split_part(plain, ', ', 1); b := split_part(plain, ', ', 2);
        RETURN '{' || least(a COLLATE "C", b COLLATE "C") || ',' || greatest(a COLLATE "C", b COLLATE "C") || '}';
      END IF;
      RETURN (SELECT '{' || string_agg(to_json(m.key)::text || ':' || CASE WHEN left(m.plain, 1) = '"' THEN m.plain
            ELSE bloom_canonical(m.value) END, ','
          ORDER BY translate(convert_from(convert_to(m.key, 'UTF8'), 'LATIN1'), U&'\00EE\00EF', U&'\00F8\00F9') COLLATE "C") || '}'
        FROM (SELECT key, value, value::text AS plain FROM jsonb_each(document) OFFSET 0) m);
    WHEN '[' THEN
      RETURN (SELECT '[' || coalesce(string_agg(bloom_canonical(m.value), ',' ORDER BY m.ordinality), '') || ']'
        FROM jsonb_array_elements(document) WITH ORDINALITY m);
    WHEN '"', 't', 'f', 'n' THEN RETURN plain;
    ELSE RETURN bloom_canonical_number(plain::numeric);
  END CASE;
END $$;

ALTER TABLE event ADD COLUMN body text;

-- The body of an event: THE list of what is in it, in canonical order. Absent members are left out; ids that concern an event stand at the
-- top, any other reference in `refs`.
CREATE FUNCTION event_bytes(e event) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  others jsonb := e.refs - '{agent,artifact_id,inbox_id,job_id,lease_id,proposal_id,run_id,task_id,zone_id}'::text[];
BEGIN
  RETURN '{"actor":' || to_json(e.actor)
    || ',"actor_role":' || to_json(e.actor_role)
    || coalesce(',"agent":' || to_json(e.refs ->> 'agent'), '')
    || coalesce(',"artifact_id":' || to_json(e.refs ->> 'artifact_id'), '')
    || coalesce(',"correlation_id":' || to_json(e.correlation_id), '')
    || ',"details":' || bloom_canonical(e.details)
    || coalesce(',"error_code":' || to_json(e.error_code), '')
    || ',"event":' || to_json(e.name)
    || ',"event_id":' || to_json(e.event_id)
    || coalesce(',"from":' || to_json(e.from_status), '')
    || coalesce(',"inbox_id":' || to_json(e.refs ->> 'inbox_id'), '')
    || coalesce(',"job_id":' || to_json(e.refs ->> 'job_id'), '')
    || coalesce(',"lease_id":' || to_json(e.refs ->> 'lease_id'), '')
    || ',"node":' || to_json(e.node)
    || ',"outcome":' || to_json(e.outcome)
    || coalesce(',"proposal_id":' || to_json(e.refs ->> 'proposal_id'), '')
    || coalesce(',"reason":' || to_json(e.reason), '')
    || CASE WHEN others = '{}' THEN '' ELSE ',"refs":' || bloom_canonical(others) END
    || ',"resource":{"id":' || to_json(e.resource_id) || ',"type":' || to_json(e.resource_type) || '}'
    || coalesce(',"run_id":' || to_json(e.refs ->> 'run_id'), '')
    || coalesce(',"task_id":' || to_json(e.refs ->> 'task_id'), '')
    || coalesce(',"to":' || to_json(e.to_status), '')
    || coalesce(',"transition":' || to_json(e.transition), '')
    || ',"ts":"' || to_char(e.ts AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    || '","via":' || to_json(e.via)
    || coalesce(',"zone_id":' || to_json(e.refs ->> 'zone_id'), '')
    || '}';
END $$;

CREATE FUNCTION event_body_made() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.body IS NOT NULL THEN
    RAISE EXCEPTION 'the bytes of an event are made by the ledger' USING ERRCODE = '23514', CONSTRAINT = 'event_body_made';
  END IF;
  NEW.body := event_bytes(NEW);
  RETURN NEW;
END $$;

-- Events from before keep the form that their objects have: those bytes are stored as they are, and the chain of the same order is sealed
-- anew from 32 zero bytes. Numbers, positions of consumers and objects stay right.
ALTER TABLE event DISABLE TRIGGER event_append_only;
UPDATE event e SET body = event_body(e);
ALTER TABLE event ENABLE TRIGGER event_append_only;
ALTER TABLE event ALTER COLUMN body SET NOT NULL;
CREATE TRIGGER event_body_made BEFORE INSERT ON event FOR EACH ROW EXECUTE FUNCTION event_body_made();

ALTER TABLE event_head ALTER COLUMN hash SET DEFAULT decode(repeat('00', 32), 'hex');
ALTER TABLE event_seal DISABLE TRIGGER event_seal_append_only;
DO $$
DECLARE
  last bytea := decode(repeat('00', 32), 'hex');
  row record;
BEGIN
  FOR row IN SELECT s.seq, e.body FROM event_seal s JOIN event e ON e.id = s.event ORDER BY s.seq LOOP
    UPDATE event_seal SET prev_hash = last, hash = sha256(last || convert_to(row.body, 'UTF8')) WHERE seq = row.seq RETURNING hash INTO last;
  END LOOP;
  UPDATE event_head SET hash = last;
END $$;
ALTER TABLE event_seal ENABLE TRIGGER event_seal_append_only;

-- Seals and the head of the chain are written by the sealer and by nobody else: it runs with the rights of the schema's owner, so no other
-- role needs any right to write them, and whoever has one is refused all the same.
CREATE FUNCTION sealer_only() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE stack text;
BEGIN
  GET DIAGNOSTICS stack = PG_CONTEXT;
  IF stack !~ '\nPL/pgSQL function (public\.)?bloom_seal\(integer\) line \d+ at SQL statement$' THEN
    RAISE EXCEPTION '% is written by the sealer alone', TG_TABLE_NAME USING ERRCODE = '23514', CONSTRAINT = TG_TABLE_NAME || '_sealer_only';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER event_seal_sealer_only BEFORE INSERT ON event_seal FOR EACH STATEMENT EXECUTE FUNCTION sealer_only();
CREATE TRIGGER event_head_sealer_only BEFORE INSERT OR UPDATE OR DELETE ON event_head FOR EACH STATEMENT EXECUTE FUNCTION sealer_only();
CREATE TRIGGER event_head_no_truncate BEFORE TRUNCATE ON event_head FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Seals up to max_rows committed events and returns how many. One sequencer at a time; others return 0 at once.
--
-- Ids are given before they commit, so a low one may appear late. `low` only rises to a mark whose transactions have all ended: the mark's id
-- is read BEFORE this transaction gets its number, so that number is above those of all that hold lower ids; and that they have ended
-- is asked BEFORE the events are read, so that whatever had ended by then is read too. The other order loses events under load.
--
-- A full batch has sealed all that was readable up to its last id, so `low` rises to that id, as far as the mark allows: the next batch does
-- not look at what this one sealed, and a backlog costs as much as it is long.
CREATE OR REPLACE FUNCTION bloom_seal(max_rows integer) RETURNS integer LANGUAGE plpgsql
  SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  head event_head;
  snap pg_snapshot;
  newest bigint;
  may_mark boolean;
  prev bytea;
  next_seq bigint;
  done integer := 0;
  complete_to bigint;
  row record;
  seqs bigint[] := '{}'; ids bigint[] := '{}'; prevs bytea[] := '{}'; hashes bytea[] := '{}';
BEGIN
  SELECT coalesce(max(id), 0) INTO newest FROM event;
  SELECT * INTO head FROM event_head;
  IF newest <= head.low OR max_rows < 1 THEN RETURN 0; END IF;
  may_mark := pg_current_xact_id_if_assigned() IS NULL;
  SELECT * INTO head FROM event_head FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN 0; END IF;
  snap := pg_current_snapshot();
  prev := head.hash; next_seq := head.seq;
  FOR row IN
    SELECT e.id, e.body FROM event e
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
  complete_to := CASE WHEN done < max_rows THEN head.mark_id ELSE least(head.mark_id, ids[done]) END;
  IF complete_to > head.low AND pg_snapshot_xmin(snap) >= head.mark_xid THEN head.low := complete_to; END IF;
  IF head.mark_id <= head.low AND newest > head.low AND may_mark THEN
    head.mark_id := newest;
    head.mark_xid := pg_current_xact_id();
  END IF;
  UPDATE event_head SET seq = next_seq, hash = prev, low = head.low, mark_id = head.mark_id, mark_xid = head.mark_xid
  WHERE (seq, low, mark_id) IS DISTINCT FROM (next_seq, head.low, head.mark_id);
  RETURN done;
END $$;
