-- A snoozed proposal is out of the review order until then; the worker clears it when the time has come.
ALTER TABLE proposal ADD COLUMN snoozed_until timestamptz(3);
CREATE INDEX proposal_snoozed ON proposal (snoozed_until, proposal_id) WHERE status = 'PENDING' AND snoozed_until IS NOT NULL;

-- The risk of a pending proposal and its reasons; null until the worker has looked. 0 is high, 1 medium, 2 low. It orders and decides nothing.
ALTER TABLE proposal ADD COLUMN risk jsonb;
ALTER TABLE proposal ADD COLUMN risk_rank smallint NOT NULL DEFAULT 2 CHECK (risk_rank BETWEEN 0 AND 2);

-- The review order leaves the snoozed ones out; after the priority it goes by risk.
DROP INDEX proposal_to_decide;
CREATE INDEX proposal_to_decide ON proposal (review_class, priority, risk_rank, created_at, proposal_id)
  WHERE status = 'PENDING' AND snoozed_until IS NULL;

-- What is asked of an agent's past: its decisions, its rejections at a target, whether anything of a version was applied.
CREATE INDEX proposal_track ON proposal (agent_slug, decided_at DESC) WHERE decided_at IS NOT NULL;
CREATE INDEX proposal_rejected_target ON proposal (agent_slug, target_key) WHERE status IN ('REJECTED', 'DISCARDED');
CREATE INDEX proposal_applied_version ON proposal (agent_slug, agent_version) WHERE git_commit IS NOT NULL;
