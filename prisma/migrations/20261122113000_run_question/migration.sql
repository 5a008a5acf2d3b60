-- What a run was asked as a column, made from its parameters: the list searches it without reading every document as text.
ALTER TABLE run ADD COLUMN question text GENERATED ALWAYS AS (coalesce(params ->> 'question', params ->> 'query', params ->> 'task', params ->> 'topic')) STORED;
