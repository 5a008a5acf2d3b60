-- The same bytes of an event [ledger#bytes] for half the processor time: they are made seven times in the life of a job.

-- RFC 8785 of a document. Members stand in the order of UTF-16 code units: that of UTF-8 bytes, but for U+E000 to U+FFFF (first byte EE
-- or EF), which follow the planes above (F0 to F4). A text of `jsonb` is escaped as the RFC asks.
CREATE OR REPLACE FUNCTION bloom_canonical(document jsonb) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  plain text := document::text;
  members text[];
  member text;
  place integer;
BEGIN
  IF plain = '{}' THEN RETURN plain; END IF;
  CASE left(plain, 1)
    WHEN '{' THEN
      -- Nearly all are short and flat, with members whose order is that of their bytes and whose values stand as they are; without commas
      -- and colons in a value, those that are left belong to the members. Such an object needs no query to be put in order.
      IF length(plain) <= 400
        AND plain ~ '^\{(?:(?:, )?"[0-9A-Z_a-z]+": (?:"[^",:\\]*"|-?[0-9]{1,15}|[a-z]+))+\}$' THEN
        members := string_to_array(replace(substr(plain, 2, length(plain) - 2), '": ', '":'), ', ');
        FOR n IN 2 .. cardinality(members) LOOP
          member := members[n];
          place := n;
          WHILE place > 1 AND member < members[place - 1] COLLATE "C" LOOP
            members[place] := members[place - 1];
            place := place - 1;
          END LOOP;
          members[place] := member;
        END LOOP;
        RETURN '{' || array_to_string(members, ',') || '}';
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

-- The body of an event: THE list of what is in it, in canonical order. Absent members are left out, which is what `concat` does with NULL;
-- members that stand alone are columns that are never NULL. One expression, so that the trigger below takes it in without a call.
-- Ids that concern an event stand at the top, any other reference in `refs`.
CREATE OR REPLACE FUNCTION event_bytes(e event) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE RETURN concat(
  '{"actor":', to_json(e.actor),
  ',"actor_role":', to_json(e.actor_role),
  ',"agent":' || to_json(e.refs ->> 'agent')::text,
  ',"artifact_id":' || to_json(e.refs ->> 'artifact_id')::text,
  ',"correlation_id":' || to_json(e.correlation_id)::text,
  ',"details":', bloom_canonical(e.details),
  ',"error_code":' || to_json(e.error_code)::text,
  ',"event":', to_json(e.name),
  ',"event_id":', to_json(e.event_id),
  ',"from":' || to_json(e.from_status)::text,
  ',"inbox_id":' || to_json(e.refs ->> 'inbox_id')::text,
  ',"job_id":' || to_json(e.refs ->> 'job_id')::text,
  ',"lease_id":' || to_json(e.refs ->> 'lease_id')::text,
  ',"node":', to_json(e.node),
  ',"outcome":', to_json(e.outcome),
  ',"proposal_id":' || to_json(e.refs ->> 'proposal_id')::text,
  ',"reason":' || to_json(e.reason)::text,
  ',"refs":' || bloom_canonical(nullif(
    e.refs - '{agent,artifact_id,inbox_id,job_id,lease_id,proposal_id,run_id,task_id,zone_id}'::text[], '{}')),
  ',"resource":{"id":', to_json(e.resource_id), ',"type":', to_json(e.resource_type), '}',
  ',"run_id":' || to_json(e.refs ->> 'run_id')::text,
  ',"task_id":' || to_json(e.refs ->> 'task_id')::text,
  ',"to":' || to_json(e.to_status)::text,
  ',"transition":' || to_json(e.transition)::text,
  ',"ts":"', to_char(e.ts AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
  '","via":', to_json(e.via),
  ',"zone_id":' || to_json(e.refs ->> 'zone_id')::text,
  '}');
