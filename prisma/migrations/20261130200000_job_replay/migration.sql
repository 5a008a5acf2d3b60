-- The job that a replay does once more ([jobs#replays]). It is no foreign key, because a ledger that is rebuilt may meet the replay first.
ALTER TABLE job ADD COLUMN replay_of uuid;
CREATE INDEX job_replays ON job (replay_of, created_at DESC, job_id DESC) WHERE replay_of IS NOT NULL;
