-- A sync that a person asks for at the gateway waits for the control plane, which alone has the keys for calls to nodes.
-- When the control plane took the sync up; null while it waits. A sync is taken up once and never again.
ALTER TABLE membridge_sync ADD COLUMN called_at timestamptz(3);
UPDATE membridge_sync SET called_at = created_at;
CREATE INDEX membridge_sync_waiting ON membridge_sync (created_at, sync_id) WHERE status = 'pending' AND called_at IS NULL;
-- Syncs of one state of one project.
CREATE INDEX membridge_sync_project_status ON membridge_sync (project, status, created_at DESC, sync_id DESC);
