-- Filters of a list under a name, of one account (server/views). The address of the list stays the truth: a view only leads there.
CREATE TABLE saved_view (
  view_id    text PRIMARY KEY CHECK (view_id ~ '^view_[0-9a-f]{12}$'),
  account_id text NOT NULL REFERENCES account,
  list       text NOT NULL CHECK (list ~ '^[a-z]{1,20}$'),
  name       text NOT NULL CHECK (length(name) BETWEEN 1 AND 60),
  filters    jsonb NOT NULL CHECK (jsonb_typeof(filters) = 'object' AND octet_length(filters::text) <= 8192),
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT saved_view_name UNIQUE (account_id, list, name)
);
