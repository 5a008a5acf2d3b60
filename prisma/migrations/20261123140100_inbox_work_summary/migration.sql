-- An entry that asks for work says what it asks: the question of its run or job, which its payload holds below other names than a summary. The
-- names are those that agents read (`questionOf`) and jobs are titled by. PostgreSQL 15 cannot change the expression of a column, so it is made anew.
ALTER TABLE inbox_entry DROP COLUMN summary;
ALTER TABLE inbox_entry ADD COLUMN summary text GENERATED ALWAYS AS (
  left(btrim(regexp_replace(coalesce(
    nullif(payload ->> 'summary', ''),
    nullif(payload #>> '{params,question}', ''), nullif(payload #>> '{params,query}', ''),
    nullif(payload #>> '{params,task}', ''), nullif(payload #>> '{params,topic}', ''),
    nullif(payload #>> '{payload,query}', ''), nullif(payload #>> '{payload,vision_text}', '')
  ), '\s+', ' ', 'g')), 200)) STORED;
CREATE INDEX inbox_entry_words ON inbox_entry USING gin (target gin_trgm_ops, summary gin_trgm_ops);
