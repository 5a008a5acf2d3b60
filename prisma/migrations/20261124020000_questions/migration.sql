-- Questions that a run asks of a person (server/questions): the run is parked until there is an answer.

CREATE TABLE run_question (
  question_id    uuid PRIMARY KEY,
  status         text NOT NULL,
  run_id         text NOT NULL REFERENCES run,
  agent_slug     text NOT NULL,
  -- The call of step 02 that asks; its line of the journal takes the answer.
  call_index     integer NOT NULL,
  text           text NOT NULL CHECK (char_length(text) BETWEEN 1 AND 1000),
  choices        text[] NOT NULL DEFAULT '{}' CHECK (cardinality(choices) = 0 OR cardinality(choices) BETWEEN 2 AND 5),
  default_answer text CHECK (char_length(default_answer) BETWEEN 1 AND 2000),
  asked_at       timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  expires_at     timestamptz(3) NOT NULL,
  answer         text CHECK (char_length(answer) BETWEEN 1 AND 2000),
  -- Null for a default.
  answered_by    text,
  answered_at    timestamptz(3),
  updated_at     timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  CHECK ((status = 'answered') = (answered_by IS NOT NULL)),
  CHECK ((answer IS NULL) = (answered_at IS NULL)),
  CHECK (answer IS NULL OR status IN ('answered', 'expired')),
  CHECK (status <> 'answered' OR answer IS NOT NULL),
  UNIQUE (run_id, call_index)
);
CREATE INDEX run_question_asked ON run_question (asked_at DESC, question_id DESC);
CREATE INDEX run_question_open ON run_question (expires_at) WHERE status = 'open';
CREATE TRIGGER run_question_edge BEFORE INSERT OR UPDATE OF status ON run_question FOR EACH ROW EXECUTE FUNCTION guard_status();
CREATE TRIGGER run_question_no_delete BEFORE DELETE ON run_question FOR EACH ROW EXECUTE FUNCTION refuse_change();

INSERT INTO state_edge (machine, event, from_status, to_status) VALUES
  ('run_question', 'ask', '', 'open'),
  ('run_question', 'answer', 'open', 'answered'),
  ('run_question', 'expire', 'open', 'expired'),
  ('run_question', 'withdraw', 'open', 'withdrawn');

-- A run that waits for a person is parked: it holds no lease and not its agent's lane, and its time stands still.
ALTER TABLE run
  ADD COLUMN parked_at timestamptz(3),
  ADD COLUMN parked_ms bigint NOT NULL DEFAULT 0,
  ADD CONSTRAINT run_parked_holds_nothing CHECK (parked_at IS NULL OR (status = 'running' AND lease_holder IS NULL AND waiting_on IS NOT NULL));
DROP INDEX run_lane;
CREATE UNIQUE INDEX run_lane ON run (agent_slug) WHERE status = 'running' AND parked_at IS NULL;
CREATE INDEX run_parked ON run (agent_slug, parked_at) WHERE parked_at IS NOT NULL;
