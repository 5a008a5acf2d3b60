-- Workers are also known by what the Membridge Control Plane has of agents and nodes (server/runtime).

-- When the worker last said itself what it is; null for one that is known from the control plane alone.
ALTER TABLE worker_node ADD COLUMN registered_at timestamptz(3);
UPDATE worker_node SET registered_at = created_at;

-- When a worker process last began to read the control plane's lists: one does it at a time.
ALTER TABLE runtime_config ADD COLUMN read_at timestamptz(3);
