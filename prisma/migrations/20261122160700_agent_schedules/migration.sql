-- What starts runs beside a person: how far each schedule has been decided, and every slot that was, once.
CREATE TABLE agent_schedule (
  agent_slug text PRIMARY KEY REFERENCES agent,
  cron       text NOT NULL,
  zone       text NOT NULL,
  -- Slots up to here are decided; the next one comes after it.
  decided_to timestamptz(3) NOT NULL
);

-- A slot is a time of the schedule or an event. Its row is what makes it fire once, whoever looks.
CREATE TABLE agent_slot (
  agent_slug text NOT NULL REFERENCES agent,
  slot       text NOT NULL,
  trigger    text NOT NULL CHECK (trigger IN ('cron', 'event')),
  -- The agents whose work led here, the first one first.
  chain      text[] NOT NULL DEFAULT '{}',
  run_id     text UNIQUE REFERENCES run,
  refused    text,
  decided_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (agent_slug, slot),
  CHECK (run_id IS NULL OR refused IS NULL)
);
