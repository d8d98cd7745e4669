-- Lists hide what is snoozed, and count without reading the rows.
DROP INDEX conversations_unread;
CREATE INDEX conversations_unread ON conversations (workspace_id, last_at, id, assigned_to, snoozed_until, unread)
  WHERE unread > 0;
DROP INDEX conversations_labeled;
CREATE INDEX conversations_labeled ON conversations (workspace_id, label, last_at, id, snoozed_until)
  WHERE label IS NOT NULL;
DROP INDEX conversations_listed;
CREATE INDEX conversations_listed ON conversations (workspace_id, last_at, id, snoozed_until);
DROP INDEX conversations_replied;
CREATE INDEX conversations_replied ON conversations (workspace_id, last_at, id, snoozed_until, received_at)
  WHERE received_at IS NOT NULL;
