-- A snoozed proposal is out of the review order until then; the worker clears it when the time has come.
ALTER TABLE proposal ADD COLUMN snoozed_until timestamptz(3);
CREATE INDEX proposal_snoozed ON proposal (snoozed_until, proposal_id) WHERE status = 'PENDING' AND snoozed_until IS NOT NULL;

-- The review order leaves the snoozed ones out.
DROP INDEX proposal_to_decide;
CREATE INDEX proposal_to_decide ON proposal (review_class, priority, created_at, proposal_id) WHERE status = 'PENDING' AND snoozed_until IS NULL;
