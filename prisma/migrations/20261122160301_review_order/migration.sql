-- The order of what waits for a decision: what can be approved as it stands before what is in conflict, in each what expires within a day
-- first. 0 and 1 are free of conflict, 2 and 3 in conflict; even ones expire soon. Kept by the worker; it decides the order and nothing else.
ALTER TABLE proposal ADD COLUMN review_class smallint NOT NULL DEFAULT 1 CHECK (review_class BETWEEN 0 AND 3);
DROP INDEX proposal_to_decide;
CREATE INDEX proposal_to_decide ON proposal (review_class, priority, created_at, proposal_id) WHERE status = 'PENDING';
