-- What was sent long ago is deleted (server/push): messages that have ended, and notices of what no longer waits. A message that waits stays undeletable.
DROP TRIGGER push_message_no_delete ON push_message;
CREATE TRIGGER push_message_no_delete BEFORE DELETE ON push_message FOR EACH ROW WHEN (OLD.status = 'pending')
  EXECUTE FUNCTION refuse_change();
CREATE INDEX push_message_ended ON push_message (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX push_notice_age ON push_notice (noticed_at);
