-- Cancelled jobs are counted apart from those that failed, each along an index of its own: a bulk cancellation leaves any number of rows that the
-- other count would step over one by one.
CREATE INDEX job_cancelled ON job (status) WHERE status = 'FAILED' AND failure_kind = 'cancelled';
CREATE INDEX job_failed ON job (status) WHERE status = 'FAILED' AND failure_kind <> 'cancelled';
