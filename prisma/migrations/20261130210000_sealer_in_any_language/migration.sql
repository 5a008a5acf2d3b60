-- Seals and the head are written by the sealer alone, on a server of any language: PostgreSQL says in the language of its messages from where a
-- statement comes, so the words around a name are taken from what it says of `sealer_only` itself, in the first line. The last line must say the
-- same, word for word, of `bloom_seal`, at whatever line and kind of statement.
CREATE FUNCTION sealer_calls(stack text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  frame text := replace(split_part(stack, chr(10), 1), 'public.sealer_only()', 'sealer_only()');
BEGIN
  IF strpos(frame, 'sealer_only()') = 0 THEN RETURN false; END IF;
  frame := replace(replace(frame, 'sealer_only()', chr(1)), 'GET DIAGNOSTICS', chr(2));
  frame := regexp_replace(regexp_replace(frame, '\d+', chr(3)), '([][\\.*+?(){}^$|])', '\\\1', 'g');
  frame := replace(frame, chr(1), '(public\.)?bloom_seal\(integer\)');
  frame := replace(replace(frame, chr(2), '[^\n"()]+'), chr(3), '\d+');
  RETURN stack ~ (chr(10) || frame || '$');
END $$;

CREATE OR REPLACE FUNCTION sealer_only() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE stack text;
BEGIN
  GET DIAGNOSTICS stack = PG_CONTEXT;
  IF NOT sealer_calls(stack) THEN
    RAISE EXCEPTION '% is written by the sealer alone', TG_TABLE_NAME USING ERRCODE = '23514', CONSTRAINT = TG_TABLE_NAME || '_sealer_only';
  END IF;
  RETURN NULL;
END $$;
