-- Search by part of a word in the lists whose rows seldom change. Jobs and runs have no such index: every transition of theirs
-- would write into it, and the queue is what has to be fast.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE INDEX proposal_words ON proposal USING gin (summary gin_trgm_ops, target_path gin_trgm_ops);
CREATE INDEX inbox_entry_words ON inbox_entry USING gin (target gin_trgm_ops, (payload ->> 'summary') gin_trgm_ops);
CREATE INDEX artifact_words ON artifact USING gin (title gin_trgm_ops);
