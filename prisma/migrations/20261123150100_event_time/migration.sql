-- The audit between two times, in the order of its list. Events come in the order of their times, so the index grows at its end alone.
CREATE INDEX event_time ON event (ts, id);
