-- Approval rules (server/approval-rules): which new proposals are approved without a person. A rule is on only with the digest of what a dry
-- run has tested; whoever changes its content otherwise has a rule that is broken and approves nothing. Rows are never deleted: proposals,
-- commits and the audit name them.
CREATE TABLE approval_rule (
  rule_id       text PRIMARY KEY CHECK (rule_id ~ '^rule_[0-9a-f]{12}$'),
  version       integer NOT NULL DEFAULT 1 CHECK (version >= 1),
  position      integer NOT NULL,
  name          text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  mode          text NOT NULL DEFAULT 'off' CHECK (mode IN ('off', 'shadow', 'on')),
  condition     jsonb NOT NULL,
  daily_cap     integer CHECK (daily_cap BETWEEN 1 AND 10000),
  expires_at    timestamptz(3),
  tested_digest text CHECK (tested_digest ~ '^[0-9a-f]{64}$'),
  created_by    text NOT NULL,
  updated_by    text NOT NULL,
  created_at    timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  updated_at    timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  removed_at    timestamptz(3),
  CONSTRAINT approval_rule_on_is_tested CHECK (mode <> 'on' OR tested_digest IS NOT NULL),
  CONSTRAINT approval_rule_removed_is_off CHECK (removed_at IS NULL OR mode = 'off')
);
CREATE INDEX approval_rule_order ON approval_rule (position, created_at, rule_id) WHERE removed_at IS NULL;
CREATE TRIGGER approval_rule_no_delete BEFORE DELETE ON approval_rule FOR EACH ROW EXECUTE FUNCTION refuse_change();

-- What a rule did on one day (UTC). Its cap is a guard of the statement that counts.
CREATE TABLE approval_rule_day (
  rule_id         text NOT NULL REFERENCES approval_rule,
  day             date NOT NULL,
  matched         integer NOT NULL DEFAULT 0 CHECK (matched >= 0),
  approved        integer NOT NULL DEFAULT 0 CHECK (approved BETWEEN 0 AND matched),
  last_matched_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (rule_id, day)
);

ALTER TABLE proposal
  ADD COLUMN rule_id text,
  ADD COLUMN rule_version integer,
  ADD COLUMN rule_trace jsonb NOT NULL DEFAULT '[]',
  -- The floors stand in code; the gravest stand here too.
  ADD CONSTRAINT proposal_floors_never_by_rule CHECK (status <> 'AUTO_APPROVED' OR (NOT tainted AND target_path NOT LIKE 'agents/%'));

-- How the rules judged a proposal is settled when it is made.
CREATE OR REPLACE FUNCTION proposal_content_frozen() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.proposal_id, NEW.inbox_entry_id, NEW.action, NEW.target_path, NEW.target_type, NEW.summary, NEW.reasoning, NEW.content_digest,
      NEW.base_revision, NEW.target_hash, NEW.changes, NEW.citations, NEW.source_identity, NEW.tainted, NEW.rule_trace)
     IS DISTINCT FROM
     (OLD.proposal_id, OLD.inbox_entry_id, OLD.action, OLD.target_path, OLD.target_type, OLD.summary, OLD.reasoning, OLD.content_digest,
      OLD.base_revision, OLD.target_hash, OLD.changes, OLD.citations, OLD.source_identity, OLD.tainted, OLD.rule_trace) THEN
    RAISE EXCEPTION 'the content of a proposal never changes' USING ERRCODE = '23514', CONSTRAINT = 'proposal_content_frozen';
  END IF;
  RETURN NEW;
END $$;
