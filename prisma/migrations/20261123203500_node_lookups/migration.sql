-- A node over all of its projects, and the syncs of a node. No beat changes a column of the first, so that beats still touch no index.
CREATE INDEX membridge_node_id ON membridge_node (node_id);
CREATE INDEX membridge_sync_agent ON membridge_sync (agent, created_at DESC, sync_id DESC);
