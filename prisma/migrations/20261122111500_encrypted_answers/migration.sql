-- Kept answers are encrypted with a key that the ledger does not hold, and of an Idempotency-Key only its digest is stored. Answers
-- that were kept in clear are removed (changing the type rewrites the table); their keys stay taken, so nothing is carried out twice.
UPDATE idempotency_key SET key = encode(sha256(convert_to(key, 'UTF8')), 'hex');
ALTER TABLE idempotency_key ALTER COLUMN answer TYPE bytea USING NULL;
