-- How an agent's proposals were decided is counted in this index alone: it says which were, and how, without a look at the rows. What an edit or a
-- rebase took the place of is not in it, since its successor is what was decided.
DROP INDEX proposal_track;
CREATE INDEX proposal_track ON proposal (agent_slug, decided_at DESC) INCLUDE (status, decision_mode)
  WHERE decided_at IS NOT NULL AND NOT relations ? 'superseded_by';
