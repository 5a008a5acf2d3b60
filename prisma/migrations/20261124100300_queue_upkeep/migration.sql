-- A job leaves five dead rows behind, and the indexes of the queue lead over them until they are vacuumed. By the server's default that comes after a
-- fifth of the whole table, which is its history: 40 000 jobs beside a million. Here it comes after a twentieth, and statistics are taken
-- after a fiftieth, so that what they say of states is not far behind. (Pages of job keep room for new versions since the beginning: fillfactor 70.)
ALTER TABLE job SET (
  autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000,
  autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 500);
