-- The leases that a scan takes up next: those that nobody took up yet, then the oldest.
CREATE INDEX membridge_lease_due ON membridge_lease ((coalesce(scanned_at, '-infinity'::timestamptz)), canonical_id);
