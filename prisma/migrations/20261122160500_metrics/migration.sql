-- What /metrics says of the past: counters and histograms of the whole installation, which outlive every process.
CREATE TABLE metric_total (
  name   text NOT NULL,
  labels jsonb NOT NULL DEFAULT '{}',
  le     double precision NOT NULL DEFAULT 'Infinity',  -- the bucket's upper bound; a counter has the one bucket
  count  bigint NOT NULL DEFAULT 0,
  sum    double precision NOT NULL DEFAULT 0,
  PRIMARY KEY (name, labels, le)
);

-- How far in the sealed order the events are counted; moves in the transaction that adds them to metric_total.
CREATE TABLE metric_position (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  seq      bigint NOT NULL DEFAULT 0
);
