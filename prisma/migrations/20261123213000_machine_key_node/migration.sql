-- Whether a node was ever joined, in whatever state its keys are: each sync asks.
CREATE INDEX machine_key_node ON machine_key (node_id);
