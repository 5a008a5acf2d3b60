-- Among the heads of the queues the agent that started longest ago is next; without this index each start reads all runs of the agents that wait, under the lock of the queue.
CREATE INDEX run_started ON run (agent_slug, started_at DESC) WHERE started_at IS NOT NULL;
