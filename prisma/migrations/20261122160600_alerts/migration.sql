-- Alerts: one row for each occurrence of a rule's condition at one resource, and the messages about it (server/alerts).

CREATE TABLE alert (
  alert_id        text PRIMARY KEY,
  status          text NOT NULL,
  rule            text NOT NULL,
  resource        text NOT NULL CHECK (length(resource) BETWEEN 1 AND 512),
  severity        text NOT NULL CHECK (severity IN ('warning', 'critical')),
  -- What the last reading measured, its value, of how many cases, and when it was read.
  condition       text NOT NULL,
  value           double precision NOT NULL,
  samples         integer,
  read_at         timestamptz(3) NOT NULL,
  opened_at       timestamptz(3) NOT NULL,
  escalated_at    timestamptz(3),
  acknowledged_at timestamptz(3),
  acknowledged_by text,
  note            text CHECK (length(note) <= 2000),
  closed_at       timestamptz(3),
  updated_at      timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  CHECK ((status = 'closed') = (closed_at IS NOT NULL)),
  CHECK ((status = 'acknowledged') <= (acknowledged_by IS NOT NULL))
);
-- However many workers evaluate: one alert of a rule stands for a resource.
CREATE UNIQUE INDEX alert_standing ON alert (rule, resource) WHERE status IN ('open', 'acknowledged');
CREATE INDEX alert_opened ON alert (opened_at DESC, alert_id DESC);
CREATE INDEX alert_closed ON alert (opened_at DESC, alert_id DESC) WHERE status = 'closed';
CREATE TRIGGER alert_edge BEFORE INSERT OR UPDATE OF status ON alert FOR EACH ROW EXECUTE FUNCTION guard_status();
CREATE TRIGGER alert_no_delete BEFORE DELETE ON alert FOR EACH ROW EXECUTE FUNCTION refuse_change();

CREATE TABLE alert_delivery (
  delivery_id     text PRIMARY KEY,
  status          text NOT NULL,
  -- None for a test that a person asked for.
  alert_id        text REFERENCES alert (alert_id),
  message         text NOT NULL,
  channel         text NOT NULL,
  -- What is told, as it was when the message was made: a repeat says the same.
  body            jsonb NOT NULL,
  requested_by    text NOT NULL,
  attempts        integer NOT NULL DEFAULT 0,
  fence           bigint NOT NULL DEFAULT 0,
  next_attempt_at timestamptz(3) NOT NULL,
  last_error      text CHECK (length(last_error) <= 500),
  created_at      timestamptz(3) NOT NULL,
  ended_at        timestamptz(3),
  updated_at      timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  CHECK ((status = 'pending') = (ended_at IS NULL))
);
-- Each is told once over each channel that an alert opened, grew graver, closed.
CREATE UNIQUE INDEX alert_delivery_once ON alert_delivery (alert_id, message, channel);
CREATE INDEX alert_delivery_due ON alert_delivery (next_attempt_at, delivery_id) WHERE status = 'pending';
CREATE INDEX alert_delivery_created ON alert_delivery (created_at DESC, delivery_id DESC);
CREATE TRIGGER alert_delivery_edge BEFORE INSERT OR UPDATE OF status ON alert_delivery FOR EACH ROW EXECUTE FUNCTION guard_status();
CREATE TRIGGER alert_delivery_no_delete BEFORE DELETE ON alert_delivery FOR EACH ROW EXECUTE FUNCTION refuse_change();

INSERT INTO state_edge (machine, event, from_status, to_status) VALUES
  ('alert', 'open', '', 'open'),
  ('alert', 'acknowledge', 'open', 'acknowledged'),
  ('alert', 'escalate', 'open', 'open'),
  ('alert', 'escalate', 'acknowledged', 'open'),
  ('alert', 'close', 'open', 'closed'),
  ('alert', 'close', 'acknowledged', 'closed'),
  ('alert_delivery', 'request', '', 'pending'),
  ('alert_delivery', 'attempt', 'pending', 'pending'),
  ('alert_delivery', 'deliver', 'pending', 'delivered'),
  ('alert_delivery', 'fail', 'pending', 'failed');

-- How long a component has been as it is; of rows from before, since their last probe.
ALTER TABLE component_health ADD COLUMN since timestamptz(3) NOT NULL DEFAULT clock_timestamp();

-- Jobs by how long they have been in the queue: the rule about those that wait too long reads the head of it.
CREATE INDEX job_queued_since ON job (updated_at) WHERE status = 'QUEUED';
