-- The metrics as time series: what each minute (for 24 hours) and each quarter of an hour (for 90 days) added or showed (server/metrics).
CREATE TABLE metric_point (
  step   integer NOT NULL CHECK (step IN (60, 900)),  -- seconds
  at     timestamptz(0) NOT NULL,  -- when the step begins
  name   text NOT NULL,
  labels jsonb NOT NULL DEFAULT '{}',
  le     double precision NOT NULL DEFAULT 'Infinity',  -- the bucket's upper bound; counters and gauges have the one bucket
  count  bigint NOT NULL DEFAULT 0,  -- of a gauge: how often it was read
  sum    double precision NOT NULL DEFAULT 0,
  PRIMARY KEY (step, name, at, labels, le)
);
CREATE INDEX metric_point_age ON metric_point (step, at);

-- The newest minute whose gauges are recorded; moves in the transaction that records them.
CREATE TABLE metric_sample (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  at       timestamptz(0) NOT NULL
);
