-- The ids of the nodes that were ever heard, once each and in rows that never change: a list of the fleet is read from it in order, and what
-- was not heard yet is told apart by it, at a third of the rows and none of the churn of membridge_node.
CREATE TABLE membridge_seen (
  node_id text PRIMARY KEY
);
INSERT INTO membridge_seen SELECT DISTINCT n.node_id FROM membridge_node n;

-- A beat of a node that has its row already inserts none, so it never comes here.
CREATE FUNCTION node_seen() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO public.membridge_seen VALUES (NEW.node_id) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER membridge_node_seen AFTER INSERT ON membridge_node FOR EACH ROW EXECUTE FUNCTION node_seen();

-- A part of an id, in the collation that the lists compare in. Ids come seldom and are looked for often, so each is filed at once.
CREATE INDEX membridge_seen_words ON membridge_seen USING gin (node_id COLLATE "C" gin_trgm_ops) WITH (fastupdate = off);
CREATE INDEX membridge_agent_words ON membridge_agent USING gin (name COLLATE "C" gin_trgm_ops) WITH (fastupdate = off);
CREATE INDEX machine_key_words ON machine_key USING gin (node_id COLLATE "C" gin_trgm_ops) WITH (fastupdate = off) WHERE status = 'active';
