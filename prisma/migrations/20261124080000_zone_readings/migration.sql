-- Which notes the guests of a zone opened (server/zones): one row a guest's session and note. It belongs to the zone and goes with it.
CREATE TABLE zone_reading (
  reading_id    uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  zone_id       text NOT NULL REFERENCES zone ON DELETE CASCADE,
  sid           text NOT NULL REFERENCES session ON DELETE CASCADE,
  path          text NOT NULL CHECK (octet_length(path) BETWEEN 1 AND 1024),
  openings      integer NOT NULL DEFAULT 1 CHECK (openings > 0),
  first_read_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  last_read_at  timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT zone_reading_note UNIQUE (sid, path)
);
CREATE INDEX zone_reading_newest ON zone_reading (zone_id, last_read_at DESC, reading_id DESC);
CREATE INDEX zone_reading_age ON zone_reading (last_read_at);
-- Guests are numbered in the order in which they entered, those whose session has ended too.
CREATE INDEX session_of_zone ON session (zone_id, created_at, sid) WHERE zone_id IS NOT NULL;
