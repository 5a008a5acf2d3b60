-- Who said where a worker is called, as far as a key may go there on his word; null for anybody else (server/runtime).
ALTER TABLE worker_node ADD COLUMN url_by text, ADD COLUMN corrected_by text;

-- Of the rows of before that is known alone where the owner or the admin key registered the same address with the control plane.
UPDATE worker_node w SET url_by = CASE WHEN a.url = w.url THEN a.registered_by END, corrected_by = CASE WHEN a.url = w.corrected_url THEN a.registered_by END
  FROM membridge_agent a WHERE a.name = w.name AND a.registered_by IN ('membridge', 'owner');
