-- The Membridge Control Plane that BLOOM Runtime calls, and how the last test of the connection ended (server/runtime).

CREATE TABLE runtime_config (
  only_row             boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  -- Null: as the environment has them. The key is encrypted for the origin of this address; without an address of its own there is none.
  server_url           text CHECK (char_length(server_url) BETWEEN 1 AND 2048),
  admin_key            bytea CHECK (octet_length(admin_key) <= 1024),
  -- Grows with every change, so that a test that began before one records nothing.
  revision             integer NOT NULL DEFAULT 0,
  -- The address that was tested: after the environment's has changed, its test says nothing any more.
  tested_url           text CHECK (char_length(tested_url) BETWEEN 1 AND 2048),
  tested_at            timestamptz(3),
  -- Why the last test failed, null where it did not.
  fault                text CHECK (char_length(fault) BETWEEN 1 AND 32),
  message              text CHECK (char_length(message) <= 500),
  consecutive_failures integer NOT NULL DEFAULT 0 CHECK (consecutive_failures >= 0),
  last_success_at      timestamptz(3),
  updated_at           timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT runtime_config_key CHECK (admin_key IS NULL OR server_url IS NOT NULL),
  CONSTRAINT runtime_config_test CHECK ((tested_at IS NULL) = (tested_url IS NULL)),
  CONSTRAINT runtime_config_fault CHECK ((fault IS NULL) = (message IS NULL)),
  CONSTRAINT runtime_config_failures CHECK ((fault IS NULL) = (consecutive_failures = 0))
);
INSERT INTO runtime_config DEFAULT VALUES;
