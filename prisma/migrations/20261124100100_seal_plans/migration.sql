-- The sealer looks at what came after the last mark and asks of each event whether it has a seal, along the two indexes. Without these settings a
-- ledger whose statistics lag behind, as those of a new one do, reads all events and all seals for every batch.
ALTER FUNCTION bloom_seal(integer) SET enable_seqscan = off;
ALTER FUNCTION bloom_seal(integer) SET enable_hashjoin = off;
ALTER FUNCTION bloom_seal(integer) SET enable_mergejoin = off;
