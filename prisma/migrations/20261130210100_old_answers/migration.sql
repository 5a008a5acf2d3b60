-- The sweep looks every minute for answers that were kept long enough; without this index it reads all of them.
CREATE INDEX idempotency_key_created ON idempotency_key (created_at);
