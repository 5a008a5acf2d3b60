-- What a message says of how the work ended, and the attempt that was under way when it came: a report of another attempt means nothing.
ALTER TABLE job_callback ADD COLUMN fence bigint, ADD COLUMN error jsonb;
CREATE INDEX job_callback_report ON job_callback (job_id) WHERE error IS NOT NULL;
