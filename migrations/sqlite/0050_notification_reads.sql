-- What each member has read of their notifications, which are events: all up to read_until, and also_read after it, as a
-- JSON array.
CREATE TABLE notification_reads (
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  read_until INTEGER NOT NULL,
  also_read TEXT NOT NULL,
  PRIMARY KEY (workspace_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX notification_reads_by_user ON notification_reads (user_id);
