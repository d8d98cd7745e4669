-- What each member has read of their notifications, which are events: all up to read_until, and also_read after it.
CREATE TABLE notification_reads (
  workspace_id TEXT COLLATE "C" NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  user_id TEXT COLLATE "C" NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  read_until BIGINT NOT NULL,
  also_read JSONB NOT NULL,
  PRIMARY KEY (workspace_id, user_id)
);
CREATE INDEX notification_reads_by_user ON notification_reads (user_id);
