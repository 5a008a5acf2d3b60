-- What an account was notified of over Web Push (server/push): each thing once, whoever looks and however often.
CREATE TABLE push_notice (
  account_id text NOT NULL REFERENCES account,
  topic      text NOT NULL,
  -- The thing that waits; one that begins to wait anew has another name.
  subject    text NOT NULL CHECK (octet_length(subject) BETWEEN 1 AND 300),
  noticed_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (account_id, topic, subject)
);
