-- What kept the latest pass of retention from its end, and since when passes have failed.
ALTER TABLE retention
  ADD COLUMN last_error text CHECK (length(last_error) <= 500),
  ADD COLUMN failing_since timestamptz(3),
  ADD CHECK ((last_error IS NULL) = (failing_since IS NULL));
