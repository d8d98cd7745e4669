-- Invitations to workspaces. hash: of the token in the link. One for each address.
CREATE TABLE invitations (
  id TEXT PRIMARY KEY,
  workspace_id TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
  email TEXT NOT NULL,
  email_key TEXT NOT NULL,
  role TEXT NOT NULL,
  permissions TEXT,
  hash TEXT NOT NULL UNIQUE,
  invited_by TEXT REFERENCES users (id) ON DELETE SET NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  UNIQUE (workspace_id, email_key)
) STRICT;
CREATE INDEX invitations_by_expiry ON invitations (expires_at);
