-- By how much a worker's clock is ahead of the database's (negative: behind); unknown of workers of earlier versions.
ALTER TABLE worker_process ADD COLUMN clock_skew_ms bigint;
