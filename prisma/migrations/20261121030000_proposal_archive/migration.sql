-- The list of what was archived: few rows, read newest first.
CREATE INDEX proposal_archived ON proposal (created_at DESC, proposal_id DESC) WHERE archived_at IS NOT NULL;
