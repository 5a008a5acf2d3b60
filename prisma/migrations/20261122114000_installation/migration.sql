-- Which home this database belongs to: written once by the first start, compared by every later one.
CREATE TABLE installation (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  home_id  uuid NOT NULL,
  bound_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);
