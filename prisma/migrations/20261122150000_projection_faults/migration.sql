-- What the projector has set aside: the objects of one thing, which a fault that no repeat mends keeps out of the store.
CREATE TABLE projection_fault (
  resource_type      text NOT NULL,
  resource_id        text NOT NULL,
  object_key         text NOT NULL,
  message            text NOT NULL,
  occurred_at        timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  retry_requested_at timestamptz(3),
  PRIMARY KEY (resource_type, resource_id)
);
