-- A group of failures that a person has dealt with: it is shown again once a job failed in that way after `through`. Rows are only added.
CREATE TABLE job_failure_resolution (
  code text NOT NULL,
  phase text NOT NULL,
  through timestamptz(3) NOT NULL,
  resolved_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  resolved_by text NOT NULL,
  reason text NOT NULL,
  PRIMARY KEY (code, phase, through)
);

-- The members of a group, newest first.
CREATE INDEX job_failure_group ON job ((error #> '{code}'), (error #> '{phase}'), created_at DESC, job_id DESC) WHERE status IN ('FAILED', 'DEAD');
