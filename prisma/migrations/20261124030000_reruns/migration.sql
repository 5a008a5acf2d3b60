-- A run may replay another of its agent from a step on; the steps below it are copies that name the run which executed them ([runs#reruns]).
ALTER TABLE run ADD COLUMN replay_of text, ADD COLUMN from_step integer CHECK (from_step BETWEEN 1 AND 3);
ALTER TABLE run ADD CONSTRAINT run_replay_names_both CHECK ((replay_of IS NULL) = (from_step IS NULL));
ALTER TABLE run_step ADD COLUMN executed_by_run text;
CREATE INDEX run_replays ON run (replay_of, requested_at DESC) WHERE replay_of IS NOT NULL;
