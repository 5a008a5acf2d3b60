-- The digest of what waits (server/needs): one for an account and a day of its time zone, also where nothing waited.
CREATE TABLE needs_digest (
  account_id text NOT NULL REFERENCES account,
  day        date NOT NULL,
  counts     jsonb NOT NULL CHECK (jsonb_typeof(counts) = 'object'),
  total      integer NOT NULL CHECK (total >= 0),
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  read_at    timestamptz(3),
  PRIMARY KEY (account_id, day)
);
