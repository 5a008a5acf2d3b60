-- Web Push (server/push): the devices that an account lets be notified, what it wants to be notified of, and the messages to them.

-- The public half of the key that signs; the worker, which alone has the other half, writes it.
CREATE TABLE push_key (
  singleton  boolean PRIMARY KEY DEFAULT true CHECK (singleton),
  public_key text NOT NULL,
  updated_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE push_subscription (
  subscription_id text PRIMARY KEY CHECK (subscription_id ~ '^push_[0-9a-f]{12}$'),
  account_id      text NOT NULL REFERENCES account,
  endpoint        text NOT NULL CHECK (octet_length(endpoint) BETWEEN 1 AND 2048),
  p256dh          text NOT NULL,
  auth            text NOT NULL,
  -- The key of this installation that the browser will accept messages of.
  server_key      text NOT NULL,
  device          text NOT NULL CHECK (char_length(device) BETWEEN 1 AND 80),
  language        text NOT NULL CHECK (language IN ('en', 'uk')),
  -- The session that confirmed it last: signing out there ends it.
  sid             text,
  created_at      timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  last_sent_at    timestamptz(3),
  last_error      text,
  CONSTRAINT push_subscription_endpoint UNIQUE (endpoint)
);
CREATE INDEX push_subscription_account ON push_subscription (account_id, created_at);
CREATE INDEX push_subscription_session ON push_subscription (sid);

CREATE TABLE notification_choice (
  account_id text PRIMARY KEY REFERENCES account,
  topics     text[] NOT NULL,
  digest     boolean NOT NULL,
  digest_at  smallint NOT NULL CHECK (digest_at BETWEEN 0 AND 1439),
  time_zone  text NOT NULL,
  updated_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);

-- The message outlives its subscription, as the history of what was sent.
CREATE TABLE push_message (
  message_id      uuid PRIMARY KEY,
  status          text NOT NULL,
  account_id      text NOT NULL REFERENCES account,
  subscription_id text NOT NULL,
  topic           text NOT NULL,
  -- What it is about; looked at again when it is sent.
  subjects        text[] NOT NULL,
  attempts        integer NOT NULL DEFAULT 0,
  fence           bigint NOT NULL DEFAULT 0,
  next_attempt_at timestamptz(3) NOT NULL,
  last_error      text,
  created_at      timestamptz(3) NOT NULL,
  ended_at        timestamptz(3),
  updated_at      timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX push_message_due ON push_message (next_attempt_at, message_id) WHERE status = 'pending';
CREATE INDEX push_message_topic ON push_message (account_id, topic, created_at DESC);
CREATE TRIGGER push_message_edge BEFORE INSERT OR UPDATE OF status ON push_message FOR EACH ROW EXECUTE FUNCTION guard_status();
CREATE TRIGGER push_message_no_delete BEFORE DELETE ON push_message FOR EACH ROW EXECUTE FUNCTION refuse_change();

INSERT INTO state_edge (machine, event, from_status, to_status) VALUES
  ('push_message', 'request', '', 'pending'),
  ('push_message', 'attempt', 'pending', 'pending'),
  ('push_message', 'deliver', 'pending', 'delivered'),
  ('push_message', 'drop', 'pending', 'dropped'),
  ('push_message', 'fail', 'pending', 'failed');
