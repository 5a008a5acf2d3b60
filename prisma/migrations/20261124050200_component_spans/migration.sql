-- How long a component was found in a state (server/system): written when the state changes or nobody had watched, never by each probe. What
-- was found last, and since when without a gap, stands in component_health. Of a state before this version only the newest probe is known.
ALTER TABLE component_health ADD COLUMN watched_since timestamptz(3) NOT NULL DEFAULT clock_timestamp();
UPDATE component_health SET watched_since = checked_at;

CREATE TABLE component_span (
  component text NOT NULL,
  since     timestamptz(3) NOT NULL,
  status    text NOT NULL,
  until     timestamptz(3) NOT NULL CHECK (until >= since),
  PRIMARY KEY (component, since)
);
CREATE INDEX component_span_until ON component_span (until);
