-- The inbox entry by which the owner last asked for changes of a proposal, and since when its agent has been awaited. While it is awaited the
-- proposal stays PENDING and nobody can approve it.
ALTER TABLE proposal ADD COLUMN change_request text;
ALTER TABLE proposal ADD COLUMN awaiting_changes_since timestamptz(3)
  CONSTRAINT proposal_awaits_a_request CHECK (awaiting_changes_since IS NULL OR change_request IS NOT NULL);
CREATE INDEX proposal_awaiting_changes ON proposal (awaiting_changes_since, proposal_id)
  WHERE status = 'PENDING' AND awaiting_changes_since IS NOT NULL;
CREATE INDEX proposal_change_request ON proposal (change_request) WHERE change_request IS NOT NULL;

-- The run of an entry: the worker looks for the end of those that are awaited.
CREATE INDEX run_inbox_entry ON run (inbox_entry_id) WHERE inbox_entry_id IS NOT NULL;

-- The review order leaves out what waits for its agent, too.
DROP INDEX proposal_to_decide;
CREATE INDEX proposal_to_decide ON proposal (review_class, priority, risk_rank, created_at, proposal_id)
  WHERE status = 'PENDING' AND snoozed_until IS NULL AND awaiting_changes_since IS NULL;
