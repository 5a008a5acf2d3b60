-- The summary of an entry as a column, made from its payload: the list shows and searches it without opening payloads, which may be large.
ALTER TABLE inbox_entry ADD COLUMN summary text GENERATED ALWAYS AS (left(payload ->> 'summary', 200)) STORED;
DROP INDEX inbox_entry_words;
CREATE INDEX inbox_entry_words ON inbox_entry USING gin (target gin_trgm_ops, summary gin_trgm_ops);
